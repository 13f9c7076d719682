-- An account has one identity of an issuer. Earlier versions gave a second one to whoever had the address of the
-- account later. Those that are there stay until the operator removes one: `duplicate` is 1 for all but the oldest.
ALTER TABLE identities ADD COLUMN duplicate BIGINT NOT NULL DEFAULT 0;

UPDATE identities SET duplicate = 1 WHERE EXISTS (
    SELECT 1 FROM identities AS earlier
    WHERE earlier.account_id = identities.account_id AND earlier.issuer = identities.issuer
    AND (earlier.created_at < identities.created_at
        OR (earlier.created_at = identities.created_at AND earlier.subject < identities.subject))
);

CREATE UNIQUE INDEX identities_one_of_issuer ON identities (account_id, issuer) WHERE duplicate = 0;
CREATE INDEX identities_duplicate ON identities (account_id) WHERE duplicate = 1;
