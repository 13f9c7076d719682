-- Until when somebody is about to write the comment of a preview, and how often that failed in a row.
ALTER TABLE previews ADD COLUMN report_lease_expires_at BIGINT;
ALTER TABLE previews ADD COLUMN report_failures BIGINT NOT NULL DEFAULT 0;
