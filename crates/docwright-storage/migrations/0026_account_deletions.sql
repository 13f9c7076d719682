-- The account that created a key, also by another of its keys: such a key is deleted with the account.
ALTER TABLE api_keys ADD COLUMN created_by TEXT;

UPDATE api_keys SET created_by = (
    SELECT MIN(actor_id) FROM audit_entries
    WHERE subject_id = api_keys.id AND action = 'key.create' AND actor_kind = 'account'
);

CREATE INDEX api_keys_by_creator ON api_keys (created_by);

-- Deleted accounts whose email address may still be in the audit log. A row goes once it isn't.
CREATE TABLE account_deletions (
    account_id TEXT PRIMARY KEY,
    email TEXT NOT NULL
);

CREATE INDEX accounts_of_operators ON accounts (id) WHERE is_operator = 1;
CREATE INDEX invitations_by_email ON invitations (email);
CREATE INDEX invitations_by_inviter ON invitations (invited_by);
CREATE INDEX sign_in_links_by_account ON sign_in_links (account_id);
CREATE INDEX preview_codes_by_account ON preview_codes (account_id);
