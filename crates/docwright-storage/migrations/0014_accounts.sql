-- People who sign in. `email` is in small letters. `password` says how it was hashed; null where somebody
-- signs in by other means. Operators reach every organisation.
CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    password TEXT,
    is_operator BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

-- Who belongs to which organisation, as what: viewer, editor or admin.
CREATE TABLE members (
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    account_id TEXT NOT NULL REFERENCES accounts (id),
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (organization_id, account_id)
);

CREATE INDEX members_by_account ON members (account_id);

-- Browsers that are signed in. The cookie holds the token, of which only the hash is here. A session that is
-- not `complete` waits for the second factor and is good for nothing else.
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    complete BIGINT NOT NULL,
    address TEXT,
    user_agent TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX sessions_by_account ON sessions (account_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Links that are good for one sign-in.
CREATE TABLE sign_in_links (
    token_hash TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX sign_in_links_by_expiry ON sign_in_links (expires_at);

-- Who is asked to join an organisation. One stands for each address.
CREATE TABLE invitations (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    email TEXT NOT NULL,
    role TEXT NOT NULL,
    invited_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    UNIQUE (organization_id, email)
);

CREATE INDEX invitations_by_expiry ON invitations (expires_at);
