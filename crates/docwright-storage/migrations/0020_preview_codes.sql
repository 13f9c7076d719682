-- Codes by which a member who is signed in at the service's host is let into a preview at its own host.
-- Each is good once and for a minute.
CREATE TABLE preview_codes (
    token_hash TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    preview_host TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX preview_codes_by_expiry ON preview_codes (expires_at);
