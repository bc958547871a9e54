-- Snowflake: the tables of an archive. Made by npm run warehouse; do not edit.
-- Put in your own for s3://BUCKET/PREFIX.

CREATE SCHEMA IF NOT EXISTS jobvault;

CREATE TABLE IF NOT EXISTS jobvault.sessions (
  user_id VARCHAR NOT NULL COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  session_id VARCHAR NOT NULL COMMENT 'The conversation',
  session_version INTEGER NOT NULL COMMENT 'From 1; increases each time the session is written again',
  name VARCHAR COMMENT 'The name in the service',
  output_language VARCHAR COMMENT 'The language of answers: EN, DE, ...',
  job_mode VARCHAR COMMENT 'How answers are made: AUTO, ...',
  max_contextual_job_history INTEGER COMMENT 'How many earlier jobs an answer takes into account',
  agent_id VARCHAR COMMENT 'The agent that answers',
  job_count INTEGER COMMENT 'Number of archived jobs',
  is_complete BOOLEAN COMMENT 'Whether all of its jobs are archived',
  extra_json VARCHAR COMMENT 'Fields of the record beyond these columns, as JSON',
  created_at TIMESTAMP_LTZ(6) COMMENT 'Creation time in the id; null if the id contains no time',
  created_at_source VARCHAR COMMENT 'The kind of that id: cuid, uuid7 or ulid',
  created_after TIMESTAMP_LTZ(6) COMMENT 'Lower bound of the creation time: created_at, else the time of the previous job, as known when the row was written',
  created_before TIMESTAMP_LTZ(6) COMMENT 'Upper bound of the creation time: created_at, else the time of the next job, as known when the row was written',
  run_id VARCHAR COMMENT 'The export that wrote the row',
  exported_at TIMESTAMP_LTZ(6) COMMENT 'When that export began',
  dt DATE NOT NULL COMMENT 'UTC day of the export; where compact has merged its month, the first of that'
)
COMMENT = 'Conversations; one row per version';

CREATE TABLE IF NOT EXISTS jobvault.jobs (
  user_id VARCHAR NOT NULL COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  session_id VARCHAR NOT NULL COMMENT 'The conversation',
  job_id VARCHAR NOT NULL COMMENT 'The question with its answer',
  job_version INTEGER NOT NULL COMMENT 'From 1; increases each time the job has changed',
  job_index INTEGER COMMENT 'From 0: oldest first if the ids contain times, else in the order of the service',
  question_text VARCHAR COMMENT 'The question',
  answer_text VARCHAR COMMENT 'The messages of the stage Respond, separated by blank lines',
  is_settled BOOLEAN COMMENT 'Whether the answer will not change any more',
  question_block_count INTEGER COMMENT 'Blocks of the question',
  answer_block_count INTEGER COMMENT 'Blocks of the answer',
  analyze_block_count INTEGER COMMENT 'Blocks of the stage Analyze',
  respond_block_count INTEGER COMMENT 'Blocks of the stage Respond',
  artifact_count INTEGER COMMENT 'Files that it points to',
  source_count INTEGER COMMENT 'Number of sources',
  content_hash VARCHAR COMMENT 'Hash of the content, without the parts that change with every read',
  created_at TIMESTAMP_LTZ(6) COMMENT 'Creation time in the id; null if the id contains no time',
  created_at_source VARCHAR COMMENT 'The kind of that id: cuid, uuid7 or ulid',
  created_after TIMESTAMP_LTZ(6) COMMENT 'Lower bound of the creation time: created_at, else the time of the previous job, as known when the row was written',
  created_before TIMESTAMP_LTZ(6) COMMENT 'Upper bound of the creation time: created_at, else the time of the next job, as known when the row was written',
  run_id VARCHAR COMMENT 'The export that wrote the row',
  exported_at TIMESTAMP_LTZ(6) COMMENT 'When that export began',
  dt DATE NOT NULL COMMENT 'UTC day of the export; where compact has merged its month, the first of that'
)
COMMENT = 'Questions and their answers; one row per version';

CREATE TABLE IF NOT EXISTS jobvault.blocks (
  user_id VARCHAR NOT NULL COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  session_id VARCHAR NOT NULL COMMENT 'The conversation',
  job_id VARCHAR NOT NULL COMMENT 'The question with its answer',
  job_version INTEGER NOT NULL COMMENT 'From 1; increases each time the job has changed',
  role VARCHAR NOT NULL COMMENT 'question or answer; record for a file outside of both',
  block_index INTEGER NOT NULL COMMENT 'Position among the blocks, from 0',
  type VARCHAR COMMENT 'MESSAGE, CODE, TABLE, IMAGE, SOURCES, QUESTIONS, ...',
  type_raw VARCHAR COMMENT 'The type as the service spelt it',
  stage VARCHAR COMMENT 'Analyze or Respond',
  group_id VARCHAR COMMENT 'The step that it belongs to; null without a step',
  group_name VARCHAR COMMENT 'The name of the step',
  content_text VARCHAR COMMENT 'The text of a message or of code',
  content_json VARCHAR COMMENT 'The content of every other block, as JSON',
  code_language VARCHAR COMMENT 'The language of code',
  char_count INTEGER COMMENT 'Characters of text',
  artifact_sha256 VARCHAR COMMENT 'SHA-256 of the stored file; of the first one if there are several',
  run_id VARCHAR COMMENT 'The export that wrote the row',
  exported_at TIMESTAMP_LTZ(6) COMMENT 'When that export began',
  dt DATE NOT NULL COMMENT 'UTC day of the export; where compact has merged its month, the first of that'
)
COMMENT = 'The parts of questions and answers: texts, code, tables, images';

CREATE TABLE IF NOT EXISTS jobvault.groups (
  user_id VARCHAR NOT NULL COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  session_id VARCHAR NOT NULL COMMENT 'The conversation',
  job_id VARCHAR NOT NULL COMMENT 'The question with its answer',
  job_version INTEGER NOT NULL COMMENT 'From 1; increases each time the job has changed',
  group_index INTEGER NOT NULL COMMENT 'Position among the groups, from 0',
  group_id VARCHAR COMMENT 'The step that it belongs to; null without a step',
  group_name VARCHAR COMMENT 'The name of the step',
  stage VARCHAR COMMENT 'Analyze or Respond',
  first_block_index INTEGER COMMENT 'Index of its first block',
  last_block_index INTEGER COMMENT 'Index of its last block',
  block_count INTEGER COMMENT 'Number of blocks',
  run_id VARCHAR COMMENT 'The export that wrote the row',
  exported_at TIMESTAMP_LTZ(6) COMMENT 'When that export began',
  dt DATE NOT NULL COMMENT 'UTC day of the export; where compact has merged its month, the first of that'
)
COMMENT = 'Steps of an answer that belong together';

CREATE TABLE IF NOT EXISTS jobvault.stages (
  user_id VARCHAR NOT NULL COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  session_id VARCHAR NOT NULL COMMENT 'The conversation',
  job_id VARCHAR NOT NULL COMMENT 'The question with its answer',
  job_version INTEGER NOT NULL COMMENT 'From 1; increases each time the job has changed',
  stage VARCHAR NOT NULL COMMENT 'Analyze or Respond',
  block_count INTEGER COMMENT 'Number of blocks',
  message_count INTEGER COMMENT 'Number of messages',
  code_count INTEGER COMMENT 'Number of pieces of code',
  table_count INTEGER COMMENT 'Number of tables',
  image_count INTEGER COMMENT 'Number of images',
  char_count BIGINT COMMENT 'Characters of text',
  first_block_index INTEGER COMMENT 'Index of its first block',
  last_block_index INTEGER COMMENT 'Index of its last block',
  run_id VARCHAR COMMENT 'The export that wrote the row',
  exported_at TIMESTAMP_LTZ(6) COMMENT 'When that export began',
  dt DATE NOT NULL COMMENT 'UTC day of the export; where compact has merged its month, the first of that'
)
COMMENT = 'The blocks of each stage of an answer, counted';

CREATE TABLE IF NOT EXISTS jobvault.sources (
  user_id VARCHAR NOT NULL COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  session_id VARCHAR NOT NULL COMMENT 'The conversation',
  job_id VARCHAR NOT NULL COMMENT 'The question with its answer',
  job_version INTEGER NOT NULL COMMENT 'From 1; increases each time the job has changed',
  block_index INTEGER NOT NULL COMMENT 'Position among the blocks, from 0',
  source_index INTEGER NOT NULL COMMENT 'Position in the block, from 0',
  source VARCHAR COMMENT 'The name of the source',
  datasource_id VARCHAR COMMENT 'The data source',
  dataset_id VARCHAR COMMENT 'The dataset',
  file_type VARCHAR COMMENT 'The type of its file',
  external_id VARCHAR COMMENT 'Its id in another system',
  extra_json VARCHAR COMMENT 'Fields of the record beyond these columns, as JSON',
  source_entry_id VARCHAR COMMENT 'The id of the cited passage in the service; null where it sends none',
  content VARCHAR COMMENT 'The cited passage; null where the service sends none',
  page_no INTEGER COMMENT 'The page of the passage; null where the service sends none',
  run_id VARCHAR COMMENT 'The export that wrote the row',
  exported_at TIMESTAMP_LTZ(6) COMMENT 'When that export began',
  dt DATE NOT NULL COMMENT 'UTC day of the export; where compact has merged its month, the first of that'
)
COMMENT = 'The data that an answer is based on';

CREATE TABLE IF NOT EXISTS jobvault.questions (
  user_id VARCHAR NOT NULL COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  session_id VARCHAR NOT NULL COMMENT 'The conversation',
  job_id VARCHAR NOT NULL COMMENT 'The question with its answer',
  job_version INTEGER NOT NULL COMMENT 'From 1; increases each time the job has changed',
  block_index INTEGER NOT NULL COMMENT 'Position among the blocks, from 0',
  question_index INTEGER NOT NULL COMMENT 'Position in the block, from 0',
  question VARCHAR COMMENT 'The proposed question',
  run_id VARCHAR COMMENT 'The export that wrote the row',
  exported_at TIMESTAMP_LTZ(6) COMMENT 'When that export began',
  dt DATE NOT NULL COMMENT 'UTC day of the export; where compact has merged its month, the first of that'
)
COMMENT = 'Follow-up questions that the assistant proposed';

CREATE TABLE IF NOT EXISTS jobvault.artifacts (
  user_id VARCHAR NOT NULL COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  session_id VARCHAR NOT NULL COMMENT 'The conversation',
  job_id VARCHAR NOT NULL COMMENT 'The question with its answer',
  job_version INTEGER NOT NULL COMMENT 'From 1; increases each time the job has changed',
  role VARCHAR NOT NULL COMMENT 'question or answer; record for a file outside of both',
  block_index INTEGER NOT NULL COMMENT 'Position among the blocks, from 0',
  file_index INTEGER NOT NULL COMMENT 'Position among the files of the block, from 0',
  kind VARCHAR COMMENT 'TABLE, IMAGE, another type of block, MARKDOWN_IMAGE, PRESIGNED_LINK, RECORD or MORE',
  name VARCHAR COMMENT 'The name in the service',
  url VARCHAR COMMENT 'The URL that it was fetched from, without signature',
  expires_at TIMESTAMP_LTZ(6) COMMENT 'When that URL expired',
  status VARCHAR COMMENT 'stored, expired, missing, rejected, unresolved, failed or not_fetched',
  reason VARCHAR COMMENT 'Why the file is not stored',
  suspicious VARCHAR COMMENT 'Why the content of a stored file is doubtful',
  sha256 VARCHAR COMMENT 'SHA-256 of the stored file',
  bytes BIGINT COMMENT 'Size of the file',
  media_type VARCHAR COMMENT 'Media type of the file',
  path VARCHAR COMMENT 'Path in the archive',
  row_count BIGINT COMMENT 'Rows of a table',
  column_count INTEGER COMMENT 'Columns of a table',
  width INTEGER COMMENT 'Of an image, in pixels',
  height INTEGER COMMENT 'Of an image, in pixels',
  table_text VARCHAR COMMENT 'The first rows of a table, up to 16 KB: cells set apart by tabs; for searches',
  run_id VARCHAR COMMENT 'The export that wrote the row',
  exported_at TIMESTAMP_LTZ(6) COMMENT 'When that export began',
  dt DATE NOT NULL COMMENT 'UTC day of the export; where compact has merged its month, the first of that'
)
COMMENT = 'The files that questions and answers point to, with the status of each';

CREATE TABLE IF NOT EXISTS jobvault.raw_jobs (
  user_id VARCHAR NOT NULL COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  session_id VARCHAR NOT NULL COMMENT 'The conversation',
  job_id VARCHAR NOT NULL COMMENT 'The question with its answer',
  job_version INTEGER NOT NULL COMMENT 'From 1; increases each time the job has changed',
  record VARCHAR COMMENT 'The record as JSON, verbatim',
  run_id VARCHAR COMMENT 'The export that wrote the row',
  exported_at TIMESTAMP_LTZ(6) COMMENT 'When that export began',
  dt DATE NOT NULL COMMENT 'UTC day of the export; where compact has merged its month, the first of that'
)
COMMENT = 'The record of each job as the service sent it';

CREATE TABLE IF NOT EXISTS jobvault.datasets (
  dataset_id VARCHAR NOT NULL COMMENT 'The dataset',
  name VARCHAR COMMENT 'The name in the service',
  description VARCHAR COMMENT 'The description in the service',
  summary VARCHAR COMMENT 'The summary in the service',
  keywords VARCHAR COMMENT 'A JSON array',
  exploration_questions VARCHAR COMMENT 'A JSON array',
  synched_count INTEGER COMMENT 'Data sources that are ready to use',
  invalid_count INTEGER COMMENT 'Data sources that are not usable',
  synching_count INTEGER COMMENT 'Data sources that are being read',
  extra_json VARCHAR COMMENT 'Fields of the record beyond these columns, as JSON',
  run_id VARCHAR COMMENT 'The export that wrote the row',
  exported_at TIMESTAMP_LTZ(6) COMMENT 'When that export began',
  dt DATE NOT NULL COMMENT 'UTC day of the export; where compact has merged its month, the first of that'
)
COMMENT = 'The datasets that a user sees; with export --with-datasets';

CREATE TABLE IF NOT EXISTS jobvault.deletions (
  user_id VARCHAR NOT NULL COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  session_id VARCHAR NOT NULL COMMENT 'The conversation',
  deleted_at TIMESTAMP_LTZ(6) COMMENT 'When the deletion was recorded',
  commit BIGINT COMMENT 'The commit in which the session is archived',
  job_count INTEGER COMMENT 'Number of archived jobs',
  outcome VARCHAR COMMENT 'confirmed, confirmed-later or already-gone',
  run_id VARCHAR COMMENT 'The export that wrote the row',
  exported_at TIMESTAMP_LTZ(6) COMMENT 'When that export began',
  dt DATE NOT NULL COMMENT 'UTC day of the export; where compact has merged its month, the first of that'
)
COMMENT = 'Sessions deleted from the service after they were archived';
