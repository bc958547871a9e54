-- Athena: tables that have no rows yet. Made by npm run warehouse; do not edit.
-- Put in your own for s3://BUCKET/PREFIX.

-- A table of which the archive has no row yet is no Delta table, and the views need it: run its statement here
-- instead of the one in tables.sql. Once it has rows (something was deleted, datasets were archived), drop it and
-- run the one in tables.sql.

CREATE EXTERNAL TABLE `jobvault`.`datasets` (
  `dataset_id` string,
  `name` string,
  `description` string,
  `summary` string,
  `keywords` string,
  `exploration_questions` string,
  `synched_count` int,
  `invalid_count` int,
  `synching_count` int,
  `extra_json` string,
  `run_id` string,
  `exported_at` timestamp
)
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/datasets/';

CREATE EXTERNAL TABLE `jobvault`.`deletions` (
  `user_id` string,
  `session_id` string,
  `deleted_at` timestamp,
  `commit` bigint,
  `job_count` int,
  `outcome` string,
  `run_id` string,
  `exported_at` timestamp
)
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/deletions/';
