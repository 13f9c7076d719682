-- When a release was active last. What was served a moment ago may still be served by other nodes.
ALTER TABLE releases ADD COLUMN last_active_at BIGINT;

-- What retention asks for again and again.
CREATE INDEX sites_by_active_release ON sites (active_release_id);
CREATE INDEX releases_by_bundle ON releases (bundle_key);
CREATE INDEX export_jobs_by_bundle ON export_jobs (bundle_key);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
