-- Athena: tables that have no rows yet. Made by npm run warehouse; do not edit.
-- Put in your own for s3://BUCKET/PREFIX.

-- A table of which the archive has no row yet is no Delta table (jobvault files ARCHIVE TABLE prints nothing), and the
-- views need it: run its statement here instead of the one in tables.sql. Once it has rows (something was deleted,
-- datasets were archived, an answer had steps), drop it and run the one in tables.sql: until then they are not seen.

CREATE EXTERNAL TABLE `jobvault`.`sessions` (
  `user_id` string,
  `session_id` string,
  `session_version` int,
  `name` string,
  `output_language` string,
  `job_mode` string,
  `max_contextual_job_history` int,
  `agent_id` string,
  `job_count` int,
  `is_complete` boolean,
  `extra_json` string,
  `created_at` timestamp,
  `created_at_source` string,
  `created_after` timestamp,
  `created_before` timestamp,
  `run_id` string,
  `exported_at` timestamp,
  `dt` DATE
)
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/sessions/';

CREATE EXTERNAL TABLE `jobvault`.`jobs` (
  `user_id` string,
  `session_id` string,
  `job_id` string,
  `job_version` int,
  `job_index` int,
  `question_text` string,
  `answer_text` string,
  `is_settled` boolean,
  `is_withdrawn` boolean,
  `question_block_count` int,
  `answer_block_count` int,
  `analyze_block_count` int,
  `respond_block_count` int,
  `artifact_count` int,
  `source_count` int,
  `content_hash` string,
  `created_at` timestamp,
  `created_at_source` string,
  `created_after` timestamp,
  `created_before` timestamp,
  `run_id` string,
  `exported_at` timestamp,
  `dt` DATE
)
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/jobs/';

CREATE EXTERNAL TABLE `jobvault`.`blocks` (
  `user_id` string,
  `session_id` string,
  `job_id` string,
  `job_version` int,
  `role` string,
  `block_index` int,
  `type` string,
  `type_raw` string,
  `stage` string,
  `group_id` string,
  `group_name` string,
  `content_text` string,
  `content_json` string,
  `code_language` string,
  `char_count` int,
  `artifact_sha256` string,
  `run_id` string,
  `exported_at` timestamp,
  `dt` DATE
)
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/blocks/';

CREATE EXTERNAL TABLE `jobvault`.`groups` (
  `user_id` string,
  `session_id` string,
  `job_id` string,
  `job_version` int,
  `group_index` int,
  `group_id` string,
  `group_name` string,
  `stage` string,
  `first_block_index` int,
  `last_block_index` int,
  `block_count` int,
  `run_id` string,
  `exported_at` timestamp,
  `dt` DATE
)
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/groups/';

CREATE EXTERNAL TABLE `jobvault`.`stages` (
  `user_id` string,
  `session_id` string,
  `job_id` string,
  `job_version` int,
  `stage` string,
  `block_count` int,
  `message_count` int,
  `code_count` int,
  `table_count` int,
  `image_count` int,
  `char_count` bigint,
  `first_block_index` int,
  `last_block_index` int,
  `run_id` string,
  `exported_at` timestamp,
  `dt` DATE
)
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/stages/';

CREATE EXTERNAL TABLE `jobvault`.`sources` (
  `user_id` string,
  `session_id` string,
  `job_id` string,
  `job_version` int,
  `block_index` int,
  `source_index` int,
  `source` string,
  `datasource_id` string,
  `dataset_id` string,
  `file_type` string,
  `external_id` string,
  `extra_json` string,
  `source_entry_id` string,
  `content` string,
  `page_no` int,
  `run_id` string,
  `exported_at` timestamp,
  `dt` DATE
)
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/sources/';

CREATE EXTERNAL TABLE `jobvault`.`questions` (
  `user_id` string,
  `session_id` string,
  `job_id` string,
  `job_version` int,
  `block_index` int,
  `question_index` int,
  `question` string,
  `run_id` string,
  `exported_at` timestamp,
  `dt` DATE
)
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/questions/';

CREATE EXTERNAL TABLE `jobvault`.`artifacts` (
  `user_id` string,
  `session_id` string,
  `job_id` string,
  `job_version` int,
  `role` string,
  `block_index` int,
  `file_index` int,
  `kind` string,
  `name` string,
  `url` string,
  `expires_at` timestamp,
  `status` string,
  `reason` string,
  `suspicious` string,
  `sha256` string,
  `bytes` bigint,
  `media_type` string,
  `path` string,
  `row_count` bigint,
  `column_count` int,
  `encoding` string,
  `separator` string,
  `heading_line` int,
  `width` int,
  `height` int,
  `table_text` string,
  `run_id` string,
  `exported_at` timestamp,
  `dt` DATE
)
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/artifacts/';

CREATE EXTERNAL TABLE `jobvault`.`raw_jobs` (
  `user_id` string,
  `session_id` string,
  `job_id` string,
  `job_version` int,
  `record` string,
  `run_id` string,
  `exported_at` timestamp,
  `dt` DATE
)
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/raw_jobs/';

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
  `exported_at` timestamp,
  `dt` DATE
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
  `exported_at` timestamp,
  `dt` DATE
)
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/deletions/';
