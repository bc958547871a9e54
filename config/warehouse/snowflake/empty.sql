-- Snowflake: tables that have no rows yet. Made by npm run warehouse; do not edit.
-- Put in your own for s3://BUCKET/PREFIX.

-- A table of which the archive has no row yet is no Delta table, and the views need it: run its statement here
-- instead of the one in tables.sql. Once it has rows (something was deleted, datasets were archived), drop it and
-- run the one in tables.sql.

CREATE TABLE jobvault.datasets (
  dataset_id VARCHAR,
  name VARCHAR,
  description VARCHAR,
  summary VARCHAR,
  keywords VARCHAR,
  exploration_questions VARCHAR,
  synched_count INTEGER,
  invalid_count INTEGER,
  synching_count INTEGER,
  extra_json VARCHAR,
  run_id VARCHAR,
  exported_at TIMESTAMP_LTZ(6)
);

CREATE TABLE jobvault.deletions (
  user_id VARCHAR,
  session_id VARCHAR,
  deleted_at TIMESTAMP_LTZ(6),
  commit BIGINT,
  job_count INTEGER,
  outcome VARCHAR,
  run_id VARCHAR,
  exported_at TIMESTAMP_LTZ(6)
);
