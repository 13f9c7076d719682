-- How far retention has come: the time by which the last round measured ages, and what the clocks said then.
-- NULL before the first round.
CREATE TABLE retention_rounds (
    id BIGINT PRIMARY KEY,
    reached_at BIGINT,
    clock_at BIGINT
);

INSERT INTO retention_rounds (id, reached_at, clock_at) VALUES (1, NULL, NULL);

-- Of the releases of a site, those in a state; and what the ready ones take, so that sites that have more than
-- they keep are found in the index alone.
DROP INDEX releases_of_site_by_status;
CREATE INDEX releases_of_site_by_status ON releases (status, site_id, bundle_size);
