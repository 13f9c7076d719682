-- When the object of a release's bundle was found to be gone, until the bundle is built again.
ALTER TABLE releases ADD COLUMN bundle_lost_at BIGINT;
CREATE INDEX releases_by_loss ON releases (bundle_lost_at) WHERE bundle_lost_at IS NOT NULL;

-- The release that a site serves again when its bundle is back. Another release is active until then.
ALTER TABLE sites ADD COLUMN restores_release_id TEXT;

-- The last release whose bundle was looked for. Nodes share this row, and each round goes on after it.
CREATE TABLE bundle_checks (
    id BIGINT PRIMARY KEY,
    after_release TEXT NOT NULL
);

INSERT INTO bundle_checks (id, after_release) VALUES (1, '');
