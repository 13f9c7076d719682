-- Base paths of domains, who has a host, what shows it, and certificates.

-- A host belongs to the organisation that showed first that it has it, with all paths below it.
CREATE TABLE hosts (
    name TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    verified_at BIGINT NOT NULL
);

INSERT INTO hosts (name, organization_id, verified_at)
SELECT domains.name, projects.organization_id, domains.created_at
FROM domains JOIN projects ON projects.id = domains.project_id;

-- The name is the host, followed by the base path if there is one. Every domain counts as verified.
ALTER TABLE domains ADD COLUMN host TEXT REFERENCES hosts (name);
UPDATE domains SET host = name;
CREATE INDEX domains_by_host ON domains (host);

-- What organisations say that they have, until a record of DNS shows it. Several may say so of the same
-- domain, so that nobody keeps it from its owner.
CREATE TABLE domain_claims (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    host TEXT NOT NULL,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    project_id TEXT NOT NULL REFERENCES projects (id),
    branch TEXT NOT NULL,
    token TEXT NOT NULL,
    checks BIGINT NOT NULL,
    checked_at BIGINT NOT NULL,
    check_after BIGINT NOT NULL,
    problem TEXT,
    created_at BIGINT NOT NULL,
    UNIQUE (organization_id, name)
);

CREATE INDEX domain_claims_by_name ON domain_claims (name);
CREATE INDEX domain_claims_by_project ON domain_claims (project_id);
CREATE INDEX domain_claims_by_check ON domain_claims (check_after);

-- The certificate of each host that has one, or is to have one. Private keys are encrypted; `key_id`
-- names the key.
CREATE TABLE certificates (
    host TEXT PRIMARY KEY,
    chain TEXT,
    private_key TEXT,
    key_id TEXT,
    issued_at BIGINT,
    expires_at BIGINT,
    order_after BIGINT NOT NULL,
    ordered_at BIGINT,
    failures BIGINT NOT NULL,
    problem TEXT
);

CREATE INDEX certificates_by_order ON certificates (order_after);

-- One node at a time orders certificates.
CREATE TABLE certificate_turn (
    id BIGINT PRIMARY KEY,
    number BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

INSERT INTO certificate_turn (id, number, expires_at) VALUES (1, 0, 0);

-- Accounts with certificate authorities, by the address of their directory. Credentials are encrypted.
CREATE TABLE acme_accounts (
    directory TEXT PRIMARY KEY,
    credentials TEXT NOT NULL,
    key_id TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- What a certificate authority asks a host for, so that every node can answer.
CREATE TABLE acme_challenges (
    token TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    answer TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
