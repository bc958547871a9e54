-- Databricks: keeps loaded tables as the archive is. Made by npm run warehouse; do not edit.
-- Put in your own for s3://BUCKET/PREFIX.

-- Brings the tables of jobvault_loaded to what the archive has now: run it after each export, compaction or erasure.
-- A row of an archive is never changed. Those that came are inserted, those that an erasure took are deleted; what a
-- compaction has only moved stays. It keeps no cursor, so a run that was missed or came twice does no harm.

CREATE SCHEMA IF NOT EXISTS jobvault_loaded;

CREATE TABLE IF NOT EXISTS jobvault_loaded.`sessions` AS SELECT * FROM jobvault.`sessions` WHERE 1 = 0;
MERGE INTO jobvault_loaded.`sessions` AS loaded
USING jobvault.`sessions` AS archived
ON loaded.user_id = archived.user_id AND loaded.session_id = archived.session_id AND loaded.session_version = archived.session_version AND loaded.run_id = archived.run_id
WHEN NOT MATCHED THEN INSERT (`user_id`, `session_id`, `session_version`, `name`, `output_language`, `job_mode`, `max_contextual_job_history`, `agent_id`, `job_count`, `is_complete`, `extra_json`, `created_at`, `created_at_source`, `created_after`, `created_before`, `run_id`, `exported_at`, `dt`)
  VALUES (archived.`user_id`, archived.`session_id`, archived.`session_version`, archived.`name`, archived.`output_language`, archived.`job_mode`, archived.`max_contextual_job_history`, archived.`agent_id`, archived.`job_count`, archived.`is_complete`, archived.`extra_json`, archived.`created_at`, archived.`created_at_source`, archived.`created_after`, archived.`created_before`, archived.`run_id`, archived.`exported_at`, archived.`dt`)
WHEN NOT MATCHED BY SOURCE THEN DELETE;

CREATE TABLE IF NOT EXISTS jobvault_loaded.`jobs` AS SELECT * FROM jobvault.`jobs` WHERE 1 = 0;
MERGE INTO jobvault_loaded.`jobs` AS loaded
USING jobvault.`jobs` AS archived
ON loaded.user_id = archived.user_id AND loaded.session_id = archived.session_id AND loaded.job_id = archived.job_id AND loaded.job_version = archived.job_version AND loaded.run_id = archived.run_id
WHEN NOT MATCHED THEN INSERT (`user_id`, `session_id`, `job_id`, `job_version`, `job_index`, `question_text`, `answer_text`, `is_settled`, `is_withdrawn`, `question_block_count`, `answer_block_count`, `analyze_block_count`, `respond_block_count`, `artifact_count`, `source_count`, `content_hash`, `created_at`, `created_at_source`, `created_after`, `created_before`, `run_id`, `exported_at`, `dt`)
  VALUES (archived.`user_id`, archived.`session_id`, archived.`job_id`, archived.`job_version`, archived.`job_index`, archived.`question_text`, archived.`answer_text`, archived.`is_settled`, archived.`is_withdrawn`, archived.`question_block_count`, archived.`answer_block_count`, archived.`analyze_block_count`, archived.`respond_block_count`, archived.`artifact_count`, archived.`source_count`, archived.`content_hash`, archived.`created_at`, archived.`created_at_source`, archived.`created_after`, archived.`created_before`, archived.`run_id`, archived.`exported_at`, archived.`dt`)
WHEN NOT MATCHED BY SOURCE THEN DELETE;

CREATE TABLE IF NOT EXISTS jobvault_loaded.`blocks` AS SELECT * FROM jobvault.`blocks` WHERE 1 = 0;
MERGE INTO jobvault_loaded.`blocks` AS loaded
USING jobvault.`blocks` AS archived
ON loaded.user_id = archived.user_id AND loaded.session_id = archived.session_id AND loaded.job_id = archived.job_id AND loaded.job_version = archived.job_version AND loaded.role = archived.role AND loaded.block_index = archived.block_index AND loaded.run_id = archived.run_id
WHEN NOT MATCHED THEN INSERT (`user_id`, `session_id`, `job_id`, `job_version`, `role`, `block_index`, `type`, `type_raw`, `stage`, `group_id`, `group_name`, `content_text`, `content_json`, `code_language`, `char_count`, `artifact_sha256`, `search_text`, `search_version`, `run_id`, `exported_at`, `dt`)
  VALUES (archived.`user_id`, archived.`session_id`, archived.`job_id`, archived.`job_version`, archived.`role`, archived.`block_index`, archived.`type`, archived.`type_raw`, archived.`stage`, archived.`group_id`, archived.`group_name`, archived.`content_text`, archived.`content_json`, archived.`code_language`, archived.`char_count`, archived.`artifact_sha256`, archived.`search_text`, archived.`search_version`, archived.`run_id`, archived.`exported_at`, archived.`dt`)
WHEN NOT MATCHED BY SOURCE THEN DELETE;

CREATE TABLE IF NOT EXISTS jobvault_loaded.`sources` AS SELECT * FROM jobvault.`sources` WHERE 1 = 0;
MERGE INTO jobvault_loaded.`sources` AS loaded
USING jobvault.`sources` AS archived
ON loaded.user_id = archived.user_id AND loaded.session_id = archived.session_id AND loaded.job_id = archived.job_id AND loaded.job_version = archived.job_version AND loaded.block_index = archived.block_index AND loaded.source_index = archived.source_index AND loaded.run_id = archived.run_id
WHEN NOT MATCHED THEN INSERT (`user_id`, `session_id`, `job_id`, `job_version`, `block_index`, `source_index`, `source`, `datasource_id`, `dataset_id`, `file_type`, `external_id`, `extra_json`, `source_entry_id`, `content`, `page_no`, `run_id`, `exported_at`, `dt`)
  VALUES (archived.`user_id`, archived.`session_id`, archived.`job_id`, archived.`job_version`, archived.`block_index`, archived.`source_index`, archived.`source`, archived.`datasource_id`, archived.`dataset_id`, archived.`file_type`, archived.`external_id`, archived.`extra_json`, archived.`source_entry_id`, archived.`content`, archived.`page_no`, archived.`run_id`, archived.`exported_at`, archived.`dt`)
WHEN NOT MATCHED BY SOURCE THEN DELETE;

CREATE TABLE IF NOT EXISTS jobvault_loaded.`proposed_questions` AS SELECT * FROM jobvault.`proposed_questions` WHERE 1 = 0;
MERGE INTO jobvault_loaded.`proposed_questions` AS loaded
USING jobvault.`proposed_questions` AS archived
ON loaded.user_id = archived.user_id AND loaded.session_id = archived.session_id AND loaded.job_id = archived.job_id AND loaded.job_version = archived.job_version AND loaded.block_index = archived.block_index AND loaded.question_index = archived.question_index AND loaded.run_id = archived.run_id
WHEN NOT MATCHED THEN INSERT (`user_id`, `session_id`, `job_id`, `job_version`, `block_index`, `question_index`, `question`, `run_id`, `exported_at`, `dt`)
  VALUES (archived.`user_id`, archived.`session_id`, archived.`job_id`, archived.`job_version`, archived.`block_index`, archived.`question_index`, archived.`question`, archived.`run_id`, archived.`exported_at`, archived.`dt`)
WHEN NOT MATCHED BY SOURCE THEN DELETE;

CREATE TABLE IF NOT EXISTS jobvault_loaded.`artifacts` AS SELECT * FROM jobvault.`artifacts` WHERE 1 = 0;
MERGE INTO jobvault_loaded.`artifacts` AS loaded
USING jobvault.`artifacts` AS archived
ON loaded.user_id = archived.user_id AND loaded.session_id = archived.session_id AND loaded.job_id = archived.job_id AND loaded.job_version = archived.job_version AND loaded.role = archived.role AND loaded.block_index = archived.block_index AND loaded.file_index = archived.file_index AND loaded.run_id = archived.run_id
WHEN NOT MATCHED THEN INSERT (`user_id`, `session_id`, `job_id`, `job_version`, `role`, `block_index`, `file_index`, `kind`, `name`, `url`, `expires_at`, `status`, `reason`, `suspicious`, `sha256`, `bytes`, `media_type`, `path`, `row_count`, `column_count`, `encoding`, `separator`, `heading_line`, `width`, `height`, `table_text`, `search_text`, `search_version`, `run_id`, `exported_at`, `dt`)
  VALUES (archived.`user_id`, archived.`session_id`, archived.`job_id`, archived.`job_version`, archived.`role`, archived.`block_index`, archived.`file_index`, archived.`kind`, archived.`name`, archived.`url`, archived.`expires_at`, archived.`status`, archived.`reason`, archived.`suspicious`, archived.`sha256`, archived.`bytes`, archived.`media_type`, archived.`path`, archived.`row_count`, archived.`column_count`, archived.`encoding`, archived.`separator`, archived.`heading_line`, archived.`width`, archived.`height`, archived.`table_text`, archived.`search_text`, archived.`search_version`, archived.`run_id`, archived.`exported_at`, archived.`dt`)
WHEN NOT MATCHED BY SOURCE THEN DELETE;

CREATE TABLE IF NOT EXISTS jobvault_loaded.`raw_jobs` AS SELECT * FROM jobvault.`raw_jobs` WHERE 1 = 0;
MERGE INTO jobvault_loaded.`raw_jobs` AS loaded
USING jobvault.`raw_jobs` AS archived
ON loaded.user_id = archived.user_id AND loaded.session_id = archived.session_id AND loaded.job_id = archived.job_id AND loaded.job_version = archived.job_version AND loaded.run_id = archived.run_id
WHEN NOT MATCHED THEN INSERT (`user_id`, `session_id`, `job_id`, `job_version`, `record`, `run_id`, `exported_at`, `dt`)
  VALUES (archived.`user_id`, archived.`session_id`, archived.`job_id`, archived.`job_version`, archived.`record`, archived.`run_id`, archived.`exported_at`, archived.`dt`)
WHEN NOT MATCHED BY SOURCE THEN DELETE;

CREATE TABLE IF NOT EXISTS jobvault_loaded.`datasets` AS SELECT * FROM jobvault.`datasets` WHERE 1 = 0;
MERGE INTO jobvault_loaded.`datasets` AS loaded
USING jobvault.`datasets` AS archived
ON loaded.dataset_id = archived.dataset_id AND loaded.run_id = archived.run_id
WHEN NOT MATCHED THEN INSERT (`dataset_id`, `name`, `description`, `summary`, `keywords`, `exploration_questions`, `synched_count`, `invalid_count`, `synching_count`, `extra_json`, `run_id`, `exported_at`, `dt`)
  VALUES (archived.`dataset_id`, archived.`name`, archived.`description`, archived.`summary`, archived.`keywords`, archived.`exploration_questions`, archived.`synched_count`, archived.`invalid_count`, archived.`synching_count`, archived.`extra_json`, archived.`run_id`, archived.`exported_at`, archived.`dt`)
WHEN NOT MATCHED BY SOURCE THEN DELETE;

CREATE TABLE IF NOT EXISTS jobvault_loaded.`deletions` AS SELECT * FROM jobvault.`deletions` WHERE 1 = 0;
MERGE INTO jobvault_loaded.`deletions` AS loaded
USING jobvault.`deletions` AS archived
ON loaded.user_id = archived.user_id AND loaded.session_id = archived.session_id AND loaded.run_id = archived.run_id
WHEN NOT MATCHED THEN INSERT (`user_id`, `session_id`, `deleted_at`, `commit`, `job_count`, `outcome`, `run_id`, `exported_at`, `dt`)
  VALUES (archived.`user_id`, archived.`session_id`, archived.`deleted_at`, archived.`commit`, archived.`job_count`, archived.`outcome`, archived.`run_id`, archived.`exported_at`, archived.`dt`)
WHEN NOT MATCHED BY SOURCE THEN DELETE;
