-- Snowflake: tables that have no rows yet. Made by npm run warehouse; do not edit.
-- Put in your own for s3://BUCKET/PREFIX.

-- A table of which the archive has no row yet is no Delta table (jobvault files ARCHIVE TABLE prints nothing), and the
-- views need it: run its statement here instead of the one in tables.sql. Once it has rows (something was deleted,
-- datasets were archived, an answer had steps), drop it and run the one in tables.sql: until then they are not seen.

CREATE TABLE jobvault.sessions (
  user_id VARCHAR,
  session_id VARCHAR,
  session_version INTEGER,
  name VARCHAR,
  output_language VARCHAR,
  job_mode VARCHAR,
  max_contextual_job_history INTEGER,
  agent_id VARCHAR,
  job_count INTEGER,
  is_complete BOOLEAN,
  extra_json VARCHAR,
  created_at TIMESTAMP_LTZ(6),
  created_at_source VARCHAR,
  created_after TIMESTAMP_LTZ(6),
  created_before TIMESTAMP_LTZ(6),
  run_id VARCHAR,
  exported_at TIMESTAMP_LTZ(6),
  dt DATE
);

CREATE TABLE jobvault.jobs (
  user_id VARCHAR,
  session_id VARCHAR,
  job_id VARCHAR,
  job_version INTEGER,
  job_index INTEGER,
  question_text VARCHAR,
  answer_text VARCHAR,
  is_settled BOOLEAN,
  is_withdrawn BOOLEAN,
  question_block_count INTEGER,
  answer_block_count INTEGER,
  analyze_block_count INTEGER,
  respond_block_count INTEGER,
  artifact_count INTEGER,
  source_count INTEGER,
  content_hash VARCHAR,
  created_at TIMESTAMP_LTZ(6),
  created_at_source VARCHAR,
  created_after TIMESTAMP_LTZ(6),
  created_before TIMESTAMP_LTZ(6),
  run_id VARCHAR,
  exported_at TIMESTAMP_LTZ(6),
  dt DATE
);

CREATE TABLE jobvault.blocks (
  user_id VARCHAR,
  session_id VARCHAR,
  job_id VARCHAR,
  job_version INTEGER,
  role VARCHAR,
  block_index INTEGER,
  type VARCHAR,
  type_raw VARCHAR,
  stage VARCHAR,
  group_id VARCHAR,
  group_name VARCHAR,
  content_text VARCHAR,
  content_json VARCHAR,
  code_language VARCHAR,
  char_count INTEGER,
  artifact_sha256 VARCHAR,
  run_id VARCHAR,
  exported_at TIMESTAMP_LTZ(6),
  dt DATE
);

CREATE TABLE jobvault.groups (
  user_id VARCHAR,
  session_id VARCHAR,
  job_id VARCHAR,
  job_version INTEGER,
  group_index INTEGER,
  group_id VARCHAR,
  group_name VARCHAR,
  stage VARCHAR,
  first_block_index INTEGER,
  last_block_index INTEGER,
  block_count INTEGER,
  run_id VARCHAR,
  exported_at TIMESTAMP_LTZ(6),
  dt DATE
);

CREATE TABLE jobvault.stages (
  user_id VARCHAR,
  session_id VARCHAR,
  job_id VARCHAR,
  job_version INTEGER,
  stage VARCHAR,
  block_count INTEGER,
  message_count INTEGER,
  code_count INTEGER,
  table_count INTEGER,
  image_count INTEGER,
  char_count BIGINT,
  first_block_index INTEGER,
  last_block_index INTEGER,
  run_id VARCHAR,
  exported_at TIMESTAMP_LTZ(6),
  dt DATE
);

CREATE TABLE jobvault.sources (
  user_id VARCHAR,
  session_id VARCHAR,
  job_id VARCHAR,
  job_version INTEGER,
  block_index INTEGER,
  source_index INTEGER,
  source VARCHAR,
  datasource_id VARCHAR,
  dataset_id VARCHAR,
  file_type VARCHAR,
  external_id VARCHAR,
  extra_json VARCHAR,
  source_entry_id VARCHAR,
  content VARCHAR,
  page_no INTEGER,
  run_id VARCHAR,
  exported_at TIMESTAMP_LTZ(6),
  dt DATE
);

CREATE TABLE jobvault.questions (
  user_id VARCHAR,
  session_id VARCHAR,
  job_id VARCHAR,
  job_version INTEGER,
  block_index INTEGER,
  question_index INTEGER,
  question VARCHAR,
  run_id VARCHAR,
  exported_at TIMESTAMP_LTZ(6),
  dt DATE
);

CREATE TABLE jobvault.artifacts (
  user_id VARCHAR,
  session_id VARCHAR,
  job_id VARCHAR,
  job_version INTEGER,
  role VARCHAR,
  block_index INTEGER,
  file_index INTEGER,
  kind VARCHAR,
  name VARCHAR,
  url VARCHAR,
  expires_at TIMESTAMP_LTZ(6),
  status VARCHAR,
  reason VARCHAR,
  suspicious VARCHAR,
  sha256 VARCHAR,
  bytes BIGINT,
  media_type VARCHAR,
  path VARCHAR,
  row_count BIGINT,
  column_count INTEGER,
  encoding VARCHAR,
  separator VARCHAR,
  heading_line INTEGER,
  width INTEGER,
  height INTEGER,
  table_text VARCHAR,
  run_id VARCHAR,
  exported_at TIMESTAMP_LTZ(6),
  dt DATE
);

CREATE TABLE jobvault.raw_jobs (
  user_id VARCHAR,
  session_id VARCHAR,
  job_id VARCHAR,
  job_version INTEGER,
  record VARCHAR,
  run_id VARCHAR,
  exported_at TIMESTAMP_LTZ(6),
  dt DATE
);

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
  exported_at TIMESTAMP_LTZ(6),
  dt DATE
);

CREATE TABLE jobvault.deletions (
  user_id VARCHAR,
  session_id VARCHAR,
  deleted_at TIMESTAMP_LTZ(6),
  commit BIGINT,
  job_count INTEGER,
  outcome VARCHAR,
  run_id VARCHAR,
  exported_at TIMESTAMP_LTZ(6),
  dt DATE
);
