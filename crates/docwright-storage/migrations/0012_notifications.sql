-- Where organisations want to hear of what happens, and each notification on its way there.
CREATE TABLE subscriptions (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL REFERENCES organizations (id),
    -- NULL for every project of the organisation.
    project_id TEXT REFERENCES projects (id),
    -- A URL, or `mailto:` and an address.
    target TEXT NOT NULL,
    -- A JSON list of names of events.
    events TEXT NOT NULL,
    -- Signs what goes to a URL; encrypted. NULL for a mailbox.
    secret TEXT,
    key_id TEXT,
    -- When something was sent last: the one that waited longest comes next.
    attempted_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX subscriptions_by_organization ON subscriptions (organization_id, id);

CREATE TABLE notifications (
    id TEXT PRIMARY KEY,
    subscription_id TEXT NOT NULL REFERENCES subscriptions (id),
    event TEXT NOT NULL,
    payload TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    run_after BIGINT NOT NULL,
    lease_number BIGINT NOT NULL,
    lease_expires_at BIGINT,
    -- Status of the last answer, where there was one.
    response_status BIGINT,
    -- Why the last attempt failed.
    error TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    ended_at BIGINT
);

CREATE INDEX notifications_by_status ON notifications (status, run_after);
CREATE INDEX notifications_by_subscription ON notifications (subscription_id, id);
CREATE INDEX notifications_by_end ON notifications (ended_at);

INSERT INTO queue_turns (queue, turn) VALUES ('notifications', 0);
