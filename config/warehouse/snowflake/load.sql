-- Snowflake: fills the tables from an archive. Made by npm run warehouse; do not edit.
-- Put in your own for s3://BUCKET/PREFIX.

-- The storage integration is one that may read the bucket; make it once, as an administrator.
-- Everything is replaced, so that what was compacted or erased is right as well.

CREATE FILE FORMAT IF NOT EXISTS jobvault.parquet_files TYPE = PARQUET USE_LOGICAL_TYPE = TRUE;

CREATE STAGE IF NOT EXISTS jobvault.archive
  URL = 's3://BUCKET/PREFIX/'
  STORAGE_INTEGRATION = jobvault_reader
  FILE_FORMAT = (FORMAT_NAME = 'jobvault.parquet_files');

BEGIN;

DELETE FROM jobvault.sessions;
COPY INTO jobvault.sessions (user_id, session_id, session_version, name, output_language, job_mode, max_contextual_job_history, agent_id, job_count, is_complete, extra_json, created_at, created_at_source, created_after, created_before, run_id, exported_at, dt)
FROM (
SELECT
  $1:user_id::VARCHAR,
  $1:session_id::VARCHAR,
  $1:session_version::INTEGER,
  $1:name::VARCHAR,
  $1:output_language::VARCHAR,
  $1:job_mode::VARCHAR,
  $1:max_contextual_job_history::INTEGER,
  $1:agent_id::VARCHAR,
  $1:job_count::INTEGER,
  $1:is_complete::BOOLEAN,
  $1:extra_json::VARCHAR,
  $1:created_at::TIMESTAMP_LTZ(6),
  $1:created_at_source::VARCHAR,
  $1:created_after::TIMESTAMP_LTZ(6),
  $1:created_before::TIMESTAMP_LTZ(6),
  $1:run_id::VARCHAR,
  $1:exported_at::TIMESTAMP_LTZ(6),
  TO_DATE(REGEXP_SUBSTR(METADATA$FILENAME, 'dt=([0-9-]+)', 1, 1, 'e', 1))
FROM @jobvault.archive/tables/sessions/
)
PATTERN = '.*/dt=[^/]*/[^/]*[.]parquet'
FORCE = TRUE;

DELETE FROM jobvault.jobs;
COPY INTO jobvault.jobs (user_id, session_id, job_id, job_version, job_index, question_text, answer_text, is_settled, question_block_count, answer_block_count, analyze_block_count, respond_block_count, artifact_count, source_count, content_hash, created_at, created_at_source, created_after, created_before, run_id, exported_at, dt)
FROM (
SELECT
  $1:user_id::VARCHAR,
  $1:session_id::VARCHAR,
  $1:job_id::VARCHAR,
  $1:job_version::INTEGER,
  $1:job_index::INTEGER,
  $1:question_text::VARCHAR,
  $1:answer_text::VARCHAR,
  $1:is_settled::BOOLEAN,
  $1:question_block_count::INTEGER,
  $1:answer_block_count::INTEGER,
  $1:analyze_block_count::INTEGER,
  $1:respond_block_count::INTEGER,
  $1:artifact_count::INTEGER,
  $1:source_count::INTEGER,
  $1:content_hash::VARCHAR,
  $1:created_at::TIMESTAMP_LTZ(6),
  $1:created_at_source::VARCHAR,
  $1:created_after::TIMESTAMP_LTZ(6),
  $1:created_before::TIMESTAMP_LTZ(6),
  $1:run_id::VARCHAR,
  $1:exported_at::TIMESTAMP_LTZ(6),
  TO_DATE(REGEXP_SUBSTR(METADATA$FILENAME, 'dt=([0-9-]+)', 1, 1, 'e', 1))
FROM @jobvault.archive/tables/jobs/
)
PATTERN = '.*/dt=[^/]*/[^/]*[.]parquet'
FORCE = TRUE;

DELETE FROM jobvault.blocks;
COPY INTO jobvault.blocks (user_id, session_id, job_id, job_version, role, block_index, type, type_raw, stage, group_id, group_name, content_text, content_json, code_language, char_count, artifact_sha256, run_id, exported_at, dt)
FROM (
SELECT
  $1:user_id::VARCHAR,
  $1:session_id::VARCHAR,
  $1:job_id::VARCHAR,
  $1:job_version::INTEGER,
  $1:role::VARCHAR,
  $1:block_index::INTEGER,
  $1:type::VARCHAR,
  $1:type_raw::VARCHAR,
  $1:stage::VARCHAR,
  $1:group_id::VARCHAR,
  $1:group_name::VARCHAR,
  $1:content_text::VARCHAR,
  $1:content_json::VARCHAR,
  $1:code_language::VARCHAR,
  $1:char_count::INTEGER,
  $1:artifact_sha256::VARCHAR,
  $1:run_id::VARCHAR,
  $1:exported_at::TIMESTAMP_LTZ(6),
  TO_DATE(REGEXP_SUBSTR(METADATA$FILENAME, 'dt=([0-9-]+)', 1, 1, 'e', 1))
FROM @jobvault.archive/tables/blocks/
)
PATTERN = '.*/dt=[^/]*/[^/]*[.]parquet'
FORCE = TRUE;

DELETE FROM jobvault.groups;
COPY INTO jobvault.groups (user_id, session_id, job_id, job_version, group_index, group_id, group_name, stage, first_block_index, last_block_index, block_count, run_id, exported_at, dt)
FROM (
SELECT
  $1:user_id::VARCHAR,
  $1:session_id::VARCHAR,
  $1:job_id::VARCHAR,
  $1:job_version::INTEGER,
  $1:group_index::INTEGER,
  $1:group_id::VARCHAR,
  $1:group_name::VARCHAR,
  $1:stage::VARCHAR,
  $1:first_block_index::INTEGER,
  $1:last_block_index::INTEGER,
  $1:block_count::INTEGER,
  $1:run_id::VARCHAR,
  $1:exported_at::TIMESTAMP_LTZ(6),
  TO_DATE(REGEXP_SUBSTR(METADATA$FILENAME, 'dt=([0-9-]+)', 1, 1, 'e', 1))
FROM @jobvault.archive/tables/groups/
)
PATTERN = '.*/dt=[^/]*/[^/]*[.]parquet'
FORCE = TRUE;

DELETE FROM jobvault.stages;
COPY INTO jobvault.stages (user_id, session_id, job_id, job_version, stage, block_count, message_count, code_count, table_count, image_count, char_count, first_block_index, last_block_index, run_id, exported_at, dt)
FROM (
SELECT
  $1:user_id::VARCHAR,
  $1:session_id::VARCHAR,
  $1:job_id::VARCHAR,
  $1:job_version::INTEGER,
  $1:stage::VARCHAR,
  $1:block_count::INTEGER,
  $1:message_count::INTEGER,
  $1:code_count::INTEGER,
  $1:table_count::INTEGER,
  $1:image_count::INTEGER,
  $1:char_count::BIGINT,
  $1:first_block_index::INTEGER,
  $1:last_block_index::INTEGER,
  $1:run_id::VARCHAR,
  $1:exported_at::TIMESTAMP_LTZ(6),
  TO_DATE(REGEXP_SUBSTR(METADATA$FILENAME, 'dt=([0-9-]+)', 1, 1, 'e', 1))
FROM @jobvault.archive/tables/stages/
)
PATTERN = '.*/dt=[^/]*/[^/]*[.]parquet'
FORCE = TRUE;

DELETE FROM jobvault.sources;
COPY INTO jobvault.sources (user_id, session_id, job_id, job_version, block_index, source_index, source, datasource_id, dataset_id, file_type, external_id, extra_json, source_entry_id, content, page_no, run_id, exported_at, dt)
FROM (
SELECT
  $1:user_id::VARCHAR,
  $1:session_id::VARCHAR,
  $1:job_id::VARCHAR,
  $1:job_version::INTEGER,
  $1:block_index::INTEGER,
  $1:source_index::INTEGER,
  $1:source::VARCHAR,
  $1:datasource_id::VARCHAR,
  $1:dataset_id::VARCHAR,
  $1:file_type::VARCHAR,
  $1:external_id::VARCHAR,
  $1:extra_json::VARCHAR,
  $1:source_entry_id::VARCHAR,
  $1:content::VARCHAR,
  $1:page_no::INTEGER,
  $1:run_id::VARCHAR,
  $1:exported_at::TIMESTAMP_LTZ(6),
  TO_DATE(REGEXP_SUBSTR(METADATA$FILENAME, 'dt=([0-9-]+)', 1, 1, 'e', 1))
FROM @jobvault.archive/tables/sources/
)
PATTERN = '.*/dt=[^/]*/[^/]*[.]parquet'
FORCE = TRUE;

DELETE FROM jobvault.questions;
COPY INTO jobvault.questions (user_id, session_id, job_id, job_version, block_index, question_index, question, run_id, exported_at, dt)
FROM (
SELECT
  $1:user_id::VARCHAR,
  $1:session_id::VARCHAR,
  $1:job_id::VARCHAR,
  $1:job_version::INTEGER,
  $1:block_index::INTEGER,
  $1:question_index::INTEGER,
  $1:question::VARCHAR,
  $1:run_id::VARCHAR,
  $1:exported_at::TIMESTAMP_LTZ(6),
  TO_DATE(REGEXP_SUBSTR(METADATA$FILENAME, 'dt=([0-9-]+)', 1, 1, 'e', 1))
FROM @jobvault.archive/tables/questions/
)
PATTERN = '.*/dt=[^/]*/[^/]*[.]parquet'
FORCE = TRUE;

DELETE FROM jobvault.artifacts;
COPY INTO jobvault.artifacts (user_id, session_id, job_id, job_version, role, block_index, file_index, kind, name, url, expires_at, status, reason, suspicious, sha256, bytes, media_type, path, row_count, column_count, width, height, table_text, run_id, exported_at, dt)
FROM (
SELECT
  $1:user_id::VARCHAR,
  $1:session_id::VARCHAR,
  $1:job_id::VARCHAR,
  $1:job_version::INTEGER,
  $1:role::VARCHAR,
  $1:block_index::INTEGER,
  $1:file_index::INTEGER,
  $1:kind::VARCHAR,
  $1:name::VARCHAR,
  $1:url::VARCHAR,
  $1:expires_at::TIMESTAMP_LTZ(6),
  $1:status::VARCHAR,
  $1:reason::VARCHAR,
  $1:suspicious::VARCHAR,
  $1:sha256::VARCHAR,
  $1:bytes::BIGINT,
  $1:media_type::VARCHAR,
  $1:path::VARCHAR,
  $1:row_count::BIGINT,
  $1:column_count::INTEGER,
  $1:width::INTEGER,
  $1:height::INTEGER,
  $1:table_text::VARCHAR,
  $1:run_id::VARCHAR,
  $1:exported_at::TIMESTAMP_LTZ(6),
  TO_DATE(REGEXP_SUBSTR(METADATA$FILENAME, 'dt=([0-9-]+)', 1, 1, 'e', 1))
FROM @jobvault.archive/tables/artifacts/
)
PATTERN = '.*/dt=[^/]*/[^/]*[.]parquet'
FORCE = TRUE;

DELETE FROM jobvault.raw_jobs;
COPY INTO jobvault.raw_jobs (user_id, session_id, job_id, job_version, record, run_id, exported_at, dt)
FROM (
SELECT
  $1:user_id::VARCHAR,
  $1:session_id::VARCHAR,
  $1:job_id::VARCHAR,
  $1:job_version::INTEGER,
  $1:record::VARCHAR,
  $1:run_id::VARCHAR,
  $1:exported_at::TIMESTAMP_LTZ(6),
  TO_DATE(REGEXP_SUBSTR(METADATA$FILENAME, 'dt=([0-9-]+)', 1, 1, 'e', 1))
FROM @jobvault.archive/tables/raw_jobs/
)
PATTERN = '.*/dt=[^/]*/[^/]*[.]parquet'
FORCE = TRUE;

DELETE FROM jobvault.datasets;
COPY INTO jobvault.datasets (dataset_id, name, description, summary, keywords, exploration_questions, synched_count, invalid_count, synching_count, extra_json, run_id, exported_at, dt)
FROM (
SELECT
  $1:dataset_id::VARCHAR,
  $1:name::VARCHAR,
  $1:description::VARCHAR,
  $1:summary::VARCHAR,
  $1:keywords::VARCHAR,
  $1:exploration_questions::VARCHAR,
  $1:synched_count::INTEGER,
  $1:invalid_count::INTEGER,
  $1:synching_count::INTEGER,
  $1:extra_json::VARCHAR,
  $1:run_id::VARCHAR,
  $1:exported_at::TIMESTAMP_LTZ(6),
  TO_DATE(REGEXP_SUBSTR(METADATA$FILENAME, 'dt=([0-9-]+)', 1, 1, 'e', 1))
FROM @jobvault.archive/tables/datasets/
)
PATTERN = '.*/dt=[^/]*/[^/]*[.]parquet'
FORCE = TRUE;

DELETE FROM jobvault.deletions;
COPY INTO jobvault.deletions (user_id, session_id, deleted_at, commit, job_count, outcome, run_id, exported_at, dt)
FROM (
SELECT
  $1:user_id::VARCHAR,
  $1:session_id::VARCHAR,
  $1:deleted_at::TIMESTAMP_LTZ(6),
  $1:commit::BIGINT,
  $1:job_count::INTEGER,
  $1:outcome::VARCHAR,
  $1:run_id::VARCHAR,
  $1:exported_at::TIMESTAMP_LTZ(6),
  TO_DATE(REGEXP_SUBSTR(METADATA$FILENAME, 'dt=([0-9-]+)', 1, 1, 'e', 1))
FROM @jobvault.archive/tables/deletions/
)
PATTERN = '.*/dt=[^/]*/[^/]*[.]parquet'
FORCE = TRUE;

COMMIT;
