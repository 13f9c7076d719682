-- What authors make of feedback: its state (pending, in_progress, resolved or dismissed) and a note.
-- `project_id` is that of the domain, so that a list of a project reads no other rows.
ALTER TABLE feedback ADD COLUMN project_id TEXT NOT NULL DEFAULT '';
ALTER TABLE feedback ADD COLUMN state TEXT NOT NULL DEFAULT 'pending';
ALTER TABLE feedback ADD COLUMN note TEXT;
ALTER TABLE feedback ADD COLUMN changed_at BIGINT;

UPDATE feedback SET project_id = (SELECT project_id FROM domains WHERE domains.name = feedback.domain);

CREATE INDEX feedback_by_project ON feedback (project_id, id);
CREATE INDEX feedback_by_state ON feedback (project_id, state, id);
