-- What an install asks for again and again is found without reading all of a table that grows.
CREATE INDEX projects_by_organization ON projects (organization_id, name);
CREATE INDEX domains_by_project ON domains (project_id, branch);
CREATE INDEX releases_by_project ON releases (project_id, id);
CREATE INDEX releases_by_organization ON releases (organization_id, id);
CREATE INDEX releases_by_replacement ON releases (replaced_by);
CREATE INDEX export_jobs_by_project ON export_jobs (project_id, id);
CREATE INDEX export_jobs_by_organization ON export_jobs (organization_id, id);
CREATE INDEX export_jobs_by_domain ON export_jobs (domain);
CREATE INDEX export_jobs_by_status ON export_jobs (status, updated_at);
CREATE INDEX feedback_by_age ON feedback (created_at);
CREATE INDEX branch_heads_by_age ON branch_heads (seen_at);
CREATE INDEX idempotency_keys_by_job ON idempotency_keys (job_id);
