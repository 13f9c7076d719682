-- Apps that make one-time codes. `last_step` is the step of the last code that was taken: each is good once.
-- `attempts` are the codes that were tried since `attempts_since` without a right one.
CREATE TABLE totp_factors (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    secret TEXT NOT NULL,
    key_id TEXT NOT NULL,
    last_step BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    attempts_since BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

-- Codes that sign in once in place of the app.
CREATE TABLE recovery_codes (
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL,
    PRIMARY KEY (account_id, code_hash)
);

-- Codes that were tried for a session that is not complete, and how long it lasts once it is.
ALTER TABLE sessions ADD COLUMN attempts BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN lifetime BIGINT NOT NULL DEFAULT 2592000000;

-- People as a provider of OpenID Connect knows them.
CREATE TABLE identities (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
);

CREATE INDEX identities_by_account ON identities (account_id);

-- The provider whose groups made somebody a member; null where a person did.
ALTER TABLE members ADD COLUMN issuer TEXT;
