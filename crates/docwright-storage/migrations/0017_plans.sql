-- What each plan includes, as the operator sets it. NULL is no limit. At first the plans differ in static
-- export only, as they did before they were data.
CREATE TABLE plans (
    name TEXT PRIMARY KEY,
    static_export BIGINT NOT NULL,
    projects BIGINT,
    members BIGINT,
    prompts_an_hour BIGINT NOT NULL
);

INSERT INTO plans (name, static_export, projects, members, prompts_an_hour)
VALUES ('free', 0, NULL, NULL, 100), ('pro', 0, NULL, NULL, 100), ('enterprise', 1, NULL, NULL, 100);

UPDATE organizations SET plan = 'pro' WHERE plan = 'team';
