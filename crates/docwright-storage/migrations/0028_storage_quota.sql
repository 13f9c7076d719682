-- Bytes of storage that a plan includes; NULL is no limit.
ALTER TABLE plans ADD COLUMN storage_bytes BIGINT;

-- Size of the project's repository on the built-in git host, after its last change.
ALTER TABLE projects ADD COLUMN repository_bytes BIGINT NOT NULL DEFAULT 0;

-- Clones that nodes keep of repositories elsewhere, with the files of commits: their sizes at the last use. One
-- that several projects use counts for the last of them.
CREATE TABLE clones (
    name TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    bytes BIGINT NOT NULL,
    used_at BIGINT NOT NULL
);
CREATE INDEX clones_by_project ON clones (project_id, used_at, bytes);
CREATE INDEX clones_by_use ON clones (used_at);

-- Bundles are counted from an index alone.
CREATE INDEX releases_by_storage ON releases (organization_id, bundle_key, bundle_size) WHERE bundle_key IS NOT NULL;
CREATE INDEX export_jobs_by_storage ON export_jobs (organization_id, bundle_key, bundle_size) WHERE bundle_key IS NOT NULL;
CREATE INDEX releases_of_previews ON releases (project_id, bundle_size) WHERE trigger_name = 'preview' AND bundle_key IS NOT NULL;

-- Storage used to be measured once an hour.
ALTER TABLE organizations DROP COLUMN bundle_bytes;
ALTER TABLE organizations DROP COLUMN repository_bytes;
ALTER TABLE organizations DROP COLUMN storage_measured_at;
