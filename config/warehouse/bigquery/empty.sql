-- BigQuery: tables that have no rows yet. Made by npm run warehouse; do not edit.
-- Put in your own for gs://BUCKET/PREFIX.

-- A table of which the archive has no row yet is no Delta table (jobvault files ARCHIVE TABLE prints nothing), and the
-- views need it: run its statement here instead of the one in tables.sql. Once it has rows (something was deleted,
-- datasets were archived, an answer had steps), drop it and run the one in tables.sql: until then they are not seen.

CREATE TABLE jobvault.`sessions` (
  `user_id` STRING,
  `session_id` STRING,
  `session_version` INT64,
  `name` STRING,
  `output_language` STRING,
  `job_mode` STRING,
  `max_contextual_job_history` INT64,
  `agent_id` STRING,
  `job_count` INT64,
  `is_complete` BOOL,
  `extra_json` STRING,
  `created_at` TIMESTAMP,
  `created_at_source` STRING,
  `created_after` TIMESTAMP,
  `created_before` TIMESTAMP,
  `run_id` STRING,
  `exported_at` TIMESTAMP,
  `dt` DATE
);

CREATE TABLE jobvault.`jobs` (
  `user_id` STRING,
  `session_id` STRING,
  `job_id` STRING,
  `job_version` INT64,
  `job_index` INT64,
  `question_text` STRING,
  `answer_text` STRING,
  `is_settled` BOOL,
  `is_withdrawn` BOOL,
  `question_block_count` INT64,
  `answer_block_count` INT64,
  `analyze_block_count` INT64,
  `respond_block_count` INT64,
  `artifact_count` INT64,
  `source_count` INT64,
  `content_hash` STRING,
  `created_at` TIMESTAMP,
  `created_at_source` STRING,
  `created_after` TIMESTAMP,
  `created_before` TIMESTAMP,
  `run_id` STRING,
  `exported_at` TIMESTAMP,
  `dt` DATE
);

CREATE TABLE jobvault.`blocks` (
  `user_id` STRING,
  `session_id` STRING,
  `job_id` STRING,
  `job_version` INT64,
  `role` STRING,
  `block_index` INT64,
  `type` STRING,
  `type_raw` STRING,
  `stage` STRING,
  `group_id` STRING,
  `group_name` STRING,
  `content_text` STRING,
  `content_json` STRING,
  `code_language` STRING,
  `char_count` INT64,
  `artifact_sha256` STRING,
  `run_id` STRING,
  `exported_at` TIMESTAMP,
  `dt` DATE
);

CREATE TABLE jobvault.`groups` (
  `user_id` STRING,
  `session_id` STRING,
  `job_id` STRING,
  `job_version` INT64,
  `group_index` INT64,
  `group_id` STRING,
  `group_name` STRING,
  `stage` STRING,
  `first_block_index` INT64,
  `last_block_index` INT64,
  `block_count` INT64,
  `run_id` STRING,
  `exported_at` TIMESTAMP,
  `dt` DATE
);

CREATE TABLE jobvault.`stages` (
  `user_id` STRING,
  `session_id` STRING,
  `job_id` STRING,
  `job_version` INT64,
  `stage` STRING,
  `block_count` INT64,
  `message_count` INT64,
  `code_count` INT64,
  `table_count` INT64,
  `image_count` INT64,
  `char_count` INT64,
  `first_block_index` INT64,
  `last_block_index` INT64,
  `run_id` STRING,
  `exported_at` TIMESTAMP,
  `dt` DATE
);

CREATE TABLE jobvault.`sources` (
  `user_id` STRING,
  `session_id` STRING,
  `job_id` STRING,
  `job_version` INT64,
  `block_index` INT64,
  `source_index` INT64,
  `source` STRING,
  `datasource_id` STRING,
  `dataset_id` STRING,
  `file_type` STRING,
  `external_id` STRING,
  `extra_json` STRING,
  `source_entry_id` STRING,
  `content` STRING,
  `page_no` INT64,
  `run_id` STRING,
  `exported_at` TIMESTAMP,
  `dt` DATE
);

CREATE TABLE jobvault.`questions` (
  `user_id` STRING,
  `session_id` STRING,
  `job_id` STRING,
  `job_version` INT64,
  `block_index` INT64,
  `question_index` INT64,
  `question` STRING,
  `run_id` STRING,
  `exported_at` TIMESTAMP,
  `dt` DATE
);

CREATE TABLE jobvault.`artifacts` (
  `user_id` STRING,
  `session_id` STRING,
  `job_id` STRING,
  `job_version` INT64,
  `role` STRING,
  `block_index` INT64,
  `file_index` INT64,
  `kind` STRING,
  `name` STRING,
  `url` STRING,
  `expires_at` TIMESTAMP,
  `status` STRING,
  `reason` STRING,
  `suspicious` STRING,
  `sha256` STRING,
  `bytes` INT64,
  `media_type` STRING,
  `path` STRING,
  `row_count` INT64,
  `column_count` INT64,
  `encoding` STRING,
  `separator` STRING,
  `heading_line` INT64,
  `width` INT64,
  `height` INT64,
  `table_text` STRING,
  `run_id` STRING,
  `exported_at` TIMESTAMP,
  `dt` DATE
);

CREATE TABLE jobvault.`raw_jobs` (
  `user_id` STRING,
  `session_id` STRING,
  `job_id` STRING,
  `job_version` INT64,
  `record` STRING,
  `run_id` STRING,
  `exported_at` TIMESTAMP,
  `dt` DATE
);

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
  `exported_at` TIMESTAMP,
  `dt` DATE
);

CREATE TABLE jobvault.`deletions` (
  `user_id` STRING,
  `session_id` STRING,
  `deleted_at` TIMESTAMP,
  `commit` INT64,
  `job_count` INT64,
  `outcome` STRING,
  `run_id` STRING,
  `exported_at` TIMESTAMP,
  `dt` DATE
);
