-- Athena: the tables of an archive. Made by npm run warehouse; do not edit.
-- Put in your own for s3://BUCKET/PREFIX.

-- Days become partitions by themselves (partition projection), so nothing is to be repaired or crawled.
-- Athena shows timestamps to the millisecond; the files hold microseconds.
-- It runs one statement at a time.

CREATE DATABASE IF NOT EXISTS jobvault;

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`sessions` (
  `user_id` string COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  `session_id` string COMMENT 'The conversation',
  `session_version` int COMMENT 'From 1; increases each time the session is written again',
  `name` string COMMENT 'The name in the service',
  `output_language` string COMMENT 'The language of answers: EN, DE, ...',
  `job_mode` string COMMENT 'How answers are made: AUTO, ...',
  `max_contextual_job_history` int COMMENT 'How many earlier jobs an answer takes into account',
  `agent_id` string COMMENT 'The agent that answers',
  `job_count` int COMMENT 'Number of archived jobs',
  `is_complete` boolean COMMENT 'Whether all of its jobs are archived',
  `extra_json` string COMMENT 'Fields of the record beyond these columns, as JSON',
  `created_at` timestamp COMMENT 'Creation time in the id; null if the id contains no time',
  `created_at_source` string COMMENT 'The kind of that id: cuid, uuid7 or ulid',
  `created_after` timestamp COMMENT 'Lower bound of the creation time: created_at, else the time of the previous job, as known when the row was written',
  `created_before` timestamp COMMENT 'Upper bound of the creation time: created_at, else the time of the next job, as known when the row was written',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'Conversations; one row per version'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export; where compact has merged its month, the first of that')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/sessions/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`jobs` (
  `user_id` string COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  `session_id` string COMMENT 'The conversation',
  `job_id` string COMMENT 'The question with its answer',
  `job_version` int COMMENT 'From 1; increases each time the job has changed',
  `job_index` int COMMENT 'From 0: oldest first if the ids contain times, else in the order of the service',
  `question_text` string COMMENT 'The question',
  `answer_text` string COMMENT 'The messages of the stage Respond, separated by blank lines',
  `is_settled` boolean COMMENT 'Whether the answer will not change any more',
  `question_block_count` int COMMENT 'Blocks of the question',
  `answer_block_count` int COMMENT 'Blocks of the answer',
  `analyze_block_count` int COMMENT 'Blocks of the stage Analyze',
  `respond_block_count` int COMMENT 'Blocks of the stage Respond',
  `artifact_count` int COMMENT 'Files that it points to',
  `source_count` int COMMENT 'Number of sources',
  `content_hash` string COMMENT 'Hash of the content, without the parts that change with every read',
  `created_at` timestamp COMMENT 'Creation time in the id; null if the id contains no time',
  `created_at_source` string COMMENT 'The kind of that id: cuid, uuid7 or ulid',
  `created_after` timestamp COMMENT 'Lower bound of the creation time: created_at, else the time of the previous job, as known when the row was written',
  `created_before` timestamp COMMENT 'Upper bound of the creation time: created_at, else the time of the next job, as known when the row was written',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'Questions and their answers; one row per version'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export; where compact has merged its month, the first of that')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/jobs/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`blocks` (
  `user_id` string COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  `session_id` string COMMENT 'The conversation',
  `job_id` string COMMENT 'The question with its answer',
  `job_version` int COMMENT 'From 1; increases each time the job has changed',
  `role` string COMMENT 'question or answer; record for a file outside of both',
  `block_index` int COMMENT 'Position among the blocks, from 0',
  `type` string COMMENT 'MESSAGE, CODE, TABLE, IMAGE, SOURCES, QUESTIONS, ...',
  `type_raw` string COMMENT 'The type as the service spelt it',
  `stage` string COMMENT 'Analyze or Respond',
  `group_id` string COMMENT 'The step that it belongs to; null without a step',
  `group_name` string COMMENT 'The name of the step',
  `content_text` string COMMENT 'The text of a message or of code',
  `content_json` string COMMENT 'The content of every other block, as JSON',
  `code_language` string COMMENT 'The language of code',
  `char_count` int COMMENT 'Characters of text',
  `artifact_sha256` string COMMENT 'SHA-256 of the stored file; of the first one if there are several',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'The parts of questions and answers: texts, code, tables, images'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export; where compact has merged its month, the first of that')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/blocks/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`groups` (
  `user_id` string COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  `session_id` string COMMENT 'The conversation',
  `job_id` string COMMENT 'The question with its answer',
  `job_version` int COMMENT 'From 1; increases each time the job has changed',
  `group_index` int COMMENT 'Position among the groups, from 0',
  `group_id` string COMMENT 'The step that it belongs to; null without a step',
  `group_name` string COMMENT 'The name of the step',
  `stage` string COMMENT 'Analyze or Respond',
  `first_block_index` int COMMENT 'Index of its first block',
  `last_block_index` int COMMENT 'Index of its last block',
  `block_count` int COMMENT 'Number of blocks',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'Steps of an answer that belong together'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export; where compact has merged its month, the first of that')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/groups/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`stages` (
  `user_id` string COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  `session_id` string COMMENT 'The conversation',
  `job_id` string COMMENT 'The question with its answer',
  `job_version` int COMMENT 'From 1; increases each time the job has changed',
  `stage` string COMMENT 'Analyze or Respond',
  `block_count` int COMMENT 'Number of blocks',
  `message_count` int COMMENT 'Number of messages',
  `code_count` int COMMENT 'Number of pieces of code',
  `table_count` int COMMENT 'Number of tables',
  `image_count` int COMMENT 'Number of images',
  `char_count` bigint COMMENT 'Characters of text',
  `first_block_index` int COMMENT 'Index of its first block',
  `last_block_index` int COMMENT 'Index of its last block',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'The blocks of each stage of an answer, counted'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export; where compact has merged its month, the first of that')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/stages/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`sources` (
  `user_id` string COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  `session_id` string COMMENT 'The conversation',
  `job_id` string COMMENT 'The question with its answer',
  `job_version` int COMMENT 'From 1; increases each time the job has changed',
  `block_index` int COMMENT 'Position among the blocks, from 0',
  `source_index` int COMMENT 'Position in the block, from 0',
  `source` string COMMENT 'The name of the source',
  `datasource_id` string COMMENT 'The data source',
  `dataset_id` string COMMENT 'The dataset',
  `file_type` string COMMENT 'The type of its file',
  `external_id` string COMMENT 'Its id in another system',
  `extra_json` string COMMENT 'Fields of the record beyond these columns, as JSON',
  `source_entry_id` string COMMENT 'The id of the cited passage in the service; null where it sends none',
  `content` string COMMENT 'The cited passage; null where the service sends none',
  `page_no` int COMMENT 'The page of the passage; null where the service sends none',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'The data that an answer is based on'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export; where compact has merged its month, the first of that')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/sources/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`questions` (
  `user_id` string COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  `session_id` string COMMENT 'The conversation',
  `job_id` string COMMENT 'The question with its answer',
  `job_version` int COMMENT 'From 1; increases each time the job has changed',
  `block_index` int COMMENT 'Position among the blocks, from 0',
  `question_index` int COMMENT 'Position in the block, from 0',
  `question` string COMMENT 'The proposed question',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'Follow-up questions that the assistant proposed'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export; where compact has merged its month, the first of that')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/questions/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`artifacts` (
  `user_id` string COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  `session_id` string COMMENT 'The conversation',
  `job_id` string COMMENT 'The question with its answer',
  `job_version` int COMMENT 'From 1; increases each time the job has changed',
  `role` string COMMENT 'question or answer; record for a file outside of both',
  `block_index` int COMMENT 'Position among the blocks, from 0',
  `file_index` int COMMENT 'Position among the files of the block, from 0',
  `kind` string COMMENT 'TABLE, IMAGE, another type of block, MARKDOWN_IMAGE, PRESIGNED_LINK, RECORD or MORE',
  `name` string COMMENT 'The name in the service',
  `url` string COMMENT 'The URL that it was fetched from, without signature',
  `expires_at` timestamp COMMENT 'When that URL expired',
  `status` string COMMENT 'stored, expired, missing, rejected, unresolved, failed or not_fetched',
  `reason` string COMMENT 'Why the file is not stored',
  `suspicious` string COMMENT 'Why the content of a stored file is doubtful',
  `sha256` string COMMENT 'SHA-256 of the stored file',
  `bytes` bigint COMMENT 'Size of the file',
  `media_type` string COMMENT 'Media type of the file',
  `path` string COMMENT 'Path in the archive',
  `row_count` bigint COMMENT 'Rows of a table',
  `column_count` int COMMENT 'Columns of a table',
  `width` int COMMENT 'Of an image, in pixels',
  `height` int COMMENT 'Of an image, in pixels',
  `table_text` string COMMENT 'The first rows of a table, up to 16 KB: cells set apart by tabs; for searches',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'The files that questions and answers point to, with the status of each'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export; where compact has merged its month, the first of that')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/artifacts/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`raw_jobs` (
  `user_id` string COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  `session_id` string COMMENT 'The conversation',
  `job_id` string COMMENT 'The question with its answer',
  `job_version` int COMMENT 'From 1; increases each time the job has changed',
  `record` string COMMENT 'The record as JSON, verbatim',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'The record of each job as the service sent it'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export; where compact has merged its month, the first of that')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/raw_jobs/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`datasets` (
  `dataset_id` string COMMENT 'The dataset',
  `name` string COMMENT 'The name in the service',
  `description` string COMMENT 'The description in the service',
  `summary` string COMMENT 'The summary in the service',
  `keywords` string COMMENT 'A JSON array',
  `exploration_questions` string COMMENT 'A JSON array',
  `synched_count` int COMMENT 'Data sources that are ready to use',
  `invalid_count` int COMMENT 'Data sources that are not usable',
  `synching_count` int COMMENT 'Data sources that are being read',
  `extra_json` string COMMENT 'Fields of the record beyond these columns, as JSON',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'The datasets that a user sees; with export --with-datasets'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export; where compact has merged its month, the first of that')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/datasets/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`deletions` (
  `user_id` string COMMENT 'The user, as the export asked for it: the service may take another spelling for the same',
  `session_id` string COMMENT 'The conversation',
  `deleted_at` timestamp COMMENT 'When the deletion was recorded',
  `commit` bigint COMMENT 'The commit in which the session is archived',
  `job_count` int COMMENT 'Number of archived jobs',
  `outcome` string COMMENT 'confirmed, confirmed-later or already-gone',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'Sessions deleted from the service after they were archived'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export; where compact has merged its month, the first of that')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/deletions/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);
