-- A site keeps its domain, or the host of its preview. Its address depends on how the service is reached.
UPDATE sites SET address = (SELECT 'https://' || host FROM previews WHERE previews.site_id = sites.id)
    WHERE id IN (SELECT site_id FROM previews);
UPDATE sites SET address = substr(address, 9);
ALTER TABLE sites RENAME COLUMN address TO domain;

-- Scheme and port at which readers reach every site, as the service said at its last start.
CREATE TABLE site_origin (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    scheme TEXT NOT NULL,
    -- NULL for the port of the scheme.
    port INTEGER
);

-- The address of its site when the release was asked for. NULL while none is known: no service has started yet.
ALTER TABLE releases ADD COLUMN address TEXT;
UPDATE releases SET address = 'https://' || (SELECT domain FROM sites WHERE sites.id = releases.site_id);
