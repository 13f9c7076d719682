-- What pages and workers ask for in an install that has been used for years.

-- Jobs of a project are listed by their ids, which sort by time.
DROP INDEX agent_jobs_by_project;
CREATE INDEX agent_jobs_by_project ON agent_jobs (project_id, id);

-- Of all releases of a site, those that wait, and those of a commit.
CREATE INDEX releases_of_site_by_status ON releases (site_id, status);
CREATE INDEX releases_of_site_by_commit ON releases (site_id, commit_sha);

-- Of the sites of a project, those that serve something; most are of previews that were closed.
CREATE INDEX sites_that_serve ON sites (project_id) WHERE active_release_id IS NOT NULL;

-- Previews that were closed, by whether that was said.
CREATE INDEX previews_by_report ON previews (state, reported);

-- The keys of the whole install, the oldest first.
CREATE INDEX api_keys_by_time ON api_keys (created_at, id);

-- Notifications of a subscription that wait: they are counted with each change, and most were sent.
CREATE INDEX notifications_of_subscription_by_status ON notifications (subscription_id, status);

-- What is old enough to go.
CREATE INDEX releases_by_end ON releases (status, (COALESCE(ended_at, updated_at)));
-- Whether the events and the conversation of an archived job went, so that each round sees only the others.
ALTER TABLE agent_jobs ADD COLUMN forgotten BIGINT NOT NULL DEFAULT 0;
CREATE INDEX agent_jobs_by_archive ON agent_jobs (forgotten, archived_at);

-- The audit log of the whole install is searched as that of an organisation is. A subject belongs to one
-- organisation, so one index of subjects is enough.
DROP INDEX audit_entries_by_subject;
CREATE INDEX audit_entries_by_subject ON audit_entries (subject_id, id);
CREATE INDEX audit_entries_of_install_by_actor ON audit_entries (actor_id, id);
CREATE INDEX audit_entries_of_install_by_kind ON audit_entries (subject_kind, id);
