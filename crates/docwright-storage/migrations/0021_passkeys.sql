-- Passkeys of accounts. `credential_id` and `public_key` are in base64url, the latter in COSE. `sign_count` is
-- what the authenticator said last; 0 if it doesn't count.
CREATE TABLE passkeys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    credential_id TEXT NOT NULL UNIQUE,
    public_key TEXT NOT NULL,
    sign_count BIGINT NOT NULL,
    backup_eligible BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    used_at BIGINT
);

CREATE INDEX passkeys_by_account ON passkeys (account_id);

-- Challenges that passkeys answered, so that each is good once. They are kept for as long as they would be good.
CREATE TABLE passkey_challenges (
    challenge TEXT PRIMARY KEY,
    expires_at BIGINT NOT NULL
);

CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges (expires_at);
