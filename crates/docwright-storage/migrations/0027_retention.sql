-- How far retention has come: the time by which the last round measured ages, and what the clocks said then.
-- NULL before the first round.
CREATE TABLE retention_rounds (
    id BIGINT PRIMARY KEY,
    reached_at BIGINT,
    clock_at BIGINT
);

INSERT INTO retention_rounds (id, reached_at, clock_at) VALUES (1, NULL, NULL);

-- What the ready releases of each site take: sites that have more than they keep are found in it alone.
CREATE INDEX releases_by_bytes ON releases (status, site_id, bundle_size);
