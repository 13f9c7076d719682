-- What an agent job changes, as its branch was pushed last: JSON, bounded.
ALTER TABLE agent_jobs ADD COLUMN diff TEXT;

-- The configuration that a release was built with: JSON.
ALTER TABLE releases ADD COLUMN configuration TEXT;
