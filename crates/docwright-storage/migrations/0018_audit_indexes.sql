-- The audit log of an organisation is searched by who, by what was done, and by what it was done to. Ids sort
-- by time. Each index is of one expression and the id: PostgreSQL would go through all of an organisation by
-- its own index otherwise, where an action is rare.
CREATE INDEX audit_entries_by_actor ON audit_entries ((organization_id || ' ' || actor_id), id);
CREATE INDEX audit_entries_by_action ON audit_entries ((organization_id || ' ' || action), id);
CREATE INDEX audit_entries_by_kind ON audit_entries ((organization_id || ' ' || subject_kind), id);
CREATE INDEX audit_entries_by_subject ON audit_entries ((organization_id || ' ' || subject_id), id);
