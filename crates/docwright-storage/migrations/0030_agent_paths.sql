-- Files that agents of a project can change besides its documentation: patterns, a JSON list.
ALTER TABLE projects ADD COLUMN agent_paths TEXT NOT NULL DEFAULT '[]';
