-- What tells the parts of an instance that lie outside its database from those of other instances.
CREATE TABLE instance_fingerprints (
    part TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- The parts of an instance from before have no fingerprints: they get theirs at the next start.
INSERT INTO instance_fingerprints (part, value)
SELECT 'earlier', '1' WHERE EXISTS (SELECT 1 FROM organizations);
