-- Calls of tools that were refused, as a JSON list.
ALTER TABLE agent_jobs ADD COLUMN refused TEXT NOT NULL DEFAULT '[]';
