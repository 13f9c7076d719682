-- What lists are searched by and sorted by. Each index is of the text without regard to the case of ASCII
-- letters, byte by byte on both databases: `binary` is how SQLite compares texts, and a collation that PostgreSQL
-- is given before. Ids sort by time. A state stands last, so that it is looked at within the index.
CREATE INDEX organizations_by_text ON organizations ((lower(name COLLATE "binary")), id);
CREATE INDEX projects_by_text ON projects ((lower(name COLLATE "binary")), id);
CREATE INDEX projects_of_organization_by_text ON projects (organization_id, (lower(name COLLATE "binary")), id);
CREATE INDEX projects_of_organization_by_id ON projects (organization_id, id);
CREATE INDEX accounts_by_text ON accounts ((lower(email COLLATE "binary")));
CREATE INDEX invitations_by_text ON invitations (organization_id, (lower(email COLLATE "binary")), id);
CREATE INDEX api_keys_by_text ON api_keys ((lower(name COLLATE "binary")), id);
CREATE INDEX api_keys_of_organization_by_text ON api_keys (organization_id, (lower(name COLLATE "binary")), id);
CREATE INDEX domains_by_text ON domains ((lower(name COLLATE "binary")));
CREATE INDEX domains_of_project_by_text ON domains (project_id, (lower(name COLLATE "binary")));
CREATE INDEX domain_claims_of_project_by_text ON domain_claims (project_id, (lower(name COLLATE "binary")));
CREATE INDEX releases_by_commit ON releases (project_id, (lower(commit_sha COLLATE "binary")), id, status);
CREATE INDEX releases_of_project_by_status ON releases (project_id, status, id);
CREATE INDEX previews_by_branch ON previews (project_id, (lower(branch COLLATE "binary")), id, state);
CREATE INDEX previews_of_project_by_state ON previews (project_id, state, id);
CREATE INDEX export_jobs_of_project_by_domain ON export_jobs (project_id, (lower(domain COLLATE "binary")), id, status);
CREATE INDEX export_jobs_of_project_by_status ON export_jobs (project_id, status, id);
CREATE INDEX agent_jobs_of_project_by_status ON agent_jobs (project_id, status, id);
CREATE INDEX feedback_by_page ON feedback (project_id, (lower(page COLLATE "binary")), id, state);
