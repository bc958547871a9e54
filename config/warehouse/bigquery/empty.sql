-- BigQuery: tables that have no rows yet. Made by npm run warehouse; do not edit.
-- Put in your own for gs://BUCKET/PREFIX.

-- A table of which the archive has no row yet is no Delta table, and the views need it: run its statement here
-- instead of the one in tables.sql. Once it has rows (something was deleted, datasets were archived), drop it and
-- run the one in tables.sql.

CREATE TABLE jobvault.`datasets` (
  `dataset_id` STRING,
  `name` STRING,
  `description` STRING,
  `summary` STRING,
  `keywords` STRING,
  `exploration_questions` STRING,
  `synched_count` INT64,
  `invalid_count` INT64,
  `synching_count` INT64,
  `extra_json` STRING,
  `run_id` STRING,
  `exported_at` TIMESTAMP
);

CREATE TABLE jobvault.`deletions` (
  `user_id` STRING,
  `session_id` STRING,
  `deleted_at` TIMESTAMP,
  `commit` INT64,
  `job_count` INT64,
  `outcome` STRING,
  `run_id` STRING,
  `exported_at` TIMESTAMP
);
