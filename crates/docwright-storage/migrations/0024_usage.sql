-- What an agent job changes, as its branch was pushed last: JSON, bounded.
ALTER TABLE agent_jobs ADD COLUMN diff TEXT;

-- The configuration that a release was built with: JSON.
ALTER TABLE releases ADD COLUMN configuration TEXT;

-- What organisations keep, as it was measured last.
ALTER TABLE organizations ADD COLUMN bundle_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN repository_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN storage_measured_at BIGINT;
