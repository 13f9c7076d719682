-- Counts the changes of what domains serve, so that a node learns of them by reading one row.
CREATE TABLE serving_changes (
    id BIGINT PRIMARY KEY,
    changes BIGINT NOT NULL
);

INSERT INTO serving_changes (id, changes) VALUES (1, 0);
