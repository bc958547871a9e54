-- Athena: the tables of an archive. Made by npm run warehouse; do not edit.
-- Put in your own for s3://BUCKET/PREFIX.

-- Days become partitions by themselves (partition projection), so nothing is to be repaired or crawled.
-- Athena shows timestamps to the millisecond; the files hold microseconds.
-- It runs one statement at a time.

CREATE DATABASE IF NOT EXISTS jobvault;

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`sessions` (
  `user_id` string COMMENT 'Whose it is',
  `session_id` string COMMENT 'The conversation',
  `session_version` int COMMENT 'From 1; grows whenever the session is written again',
  `name` string COMMENT 'As the service has it',
  `output_language` string COMMENT 'The language of answers: EN, DE, ...',
  `job_mode` string COMMENT 'How answers are made: AUTO, ...',
  `max_contextual_job_history` int COMMENT 'How many earlier jobs an answer takes into account',
  `agent_id` string COMMENT 'The agent that answers',
  `job_count` int COMMENT 'How many jobs of it are archived',
  `is_complete` boolean COMMENT 'Whether all of its jobs are archived',
  `extra_json` string COMMENT 'Fields of the record beyond these columns, as JSON',
  `created_at` timestamp COMMENT 'Inferred from an id that holds a time; null where none does',
  `created_at_source` string COMMENT 'The kind of that id: cuid, uuid7 or ulid',
  `created_after` timestamp COMMENT 'Not made before: created_at, else the time of the job before it, as known when the row was written',
  `created_before` timestamp COMMENT 'Not made after: created_at, else the time of the job after it, as known when the row was written',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'Conversations; one row per version'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/sessions/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`jobs` (
  `user_id` string COMMENT 'Whose it is',
  `session_id` string COMMENT 'The conversation',
  `job_id` string COMMENT 'The question with its answer',
  `job_version` int COMMENT 'From 1; grows whenever the job has changed',
  `job_index` int COMMENT 'From 0: counts from the oldest where the ids tell times, else in the order of the service',
  `question_text` string COMMENT 'The question',
  `answer_text` string COMMENT 'The messages of the stage Respond, a blank line between',
  `is_settled` boolean COMMENT 'Whether the answer is known to change no more',
  `question_block_count` int COMMENT 'Blocks of the question',
  `answer_block_count` int COMMENT 'Blocks of the answer',
  `analyze_block_count` int COMMENT 'Blocks of the stage Analyze',
  `respond_block_count` int COMMENT 'Blocks of the stage Respond',
  `artifact_count` int COMMENT 'Files that it points to',
  `source_count` int COMMENT 'Sources named',
  `content_hash` string COMMENT 'Of the content, without what changes with every read',
  `created_at` timestamp COMMENT 'Inferred from an id that holds a time; null where none does',
  `created_at_source` string COMMENT 'The kind of that id: cuid, uuid7 or ulid',
  `created_after` timestamp COMMENT 'Not made before: created_at, else the time of the job before it, as known when the row was written',
  `created_before` timestamp COMMENT 'Not made after: created_at, else the time of the job after it, as known when the row was written',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'Questions and their answers; one row per version'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/jobs/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`blocks` (
  `user_id` string COMMENT 'Whose it is',
  `session_id` string COMMENT 'The conversation',
  `job_id` string COMMENT 'The question with its answer',
  `job_version` int COMMENT 'From 1; grows whenever the job has changed',
  `role` string COMMENT 'question or answer; record for a file outside of both',
  `block_index` int COMMENT 'Place among the blocks, from 0',
  `type` string COMMENT 'MESSAGE, CODE, TABLE, IMAGE, SOURCES, QUESTIONS, ...',
  `type_raw` string COMMENT 'The type as the service spelt it',
  `stage` string COMMENT 'Analyze or Respond',
  `group_id` string COMMENT 'The step that it belongs to; null for none',
  `group_name` string COMMENT 'The name of the step',
  `content_text` string COMMENT 'The text of a message or of code',
  `content_json` string COMMENT 'The content of every other block, as JSON',
  `code_language` string COMMENT 'The language of code',
  `char_count` int COMMENT 'Characters of text',
  `artifact_sha256` string COMMENT 'SHA-256 of the stored file; of several, the first',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'What questions and answers are made of: texts, code, tables, images'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/blocks/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`groups` (
  `user_id` string COMMENT 'Whose it is',
  `session_id` string COMMENT 'The conversation',
  `job_id` string COMMENT 'The question with its answer',
  `job_version` int COMMENT 'From 1; grows whenever the job has changed',
  `group_index` int COMMENT 'Place among the groups, from 0',
  `group_id` string COMMENT 'The step that it belongs to; null for none',
  `group_name` string COMMENT 'The name of the step',
  `stage` string COMMENT 'Analyze or Respond',
  `first_block_index` int COMMENT 'The first of its blocks',
  `last_block_index` int COMMENT 'The last of its blocks',
  `block_count` int COMMENT 'How many blocks',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'Steps of an answer that belong together'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/groups/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`stages` (
  `user_id` string COMMENT 'Whose it is',
  `session_id` string COMMENT 'The conversation',
  `job_id` string COMMENT 'The question with its answer',
  `job_version` int COMMENT 'From 1; grows whenever the job has changed',
  `stage` string COMMENT 'Analyze or Respond',
  `block_count` int COMMENT 'How many blocks',
  `message_count` int COMMENT 'How many messages',
  `code_count` int COMMENT 'How many pieces of code',
  `table_count` int COMMENT 'How many tables',
  `image_count` int COMMENT 'How many images',
  `char_count` bigint COMMENT 'Characters of text',
  `first_block_index` int COMMENT 'The first of its blocks',
  `last_block_index` int COMMENT 'The last of its blocks',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'The blocks of each stage of an answer, counted'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/stages/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`sources` (
  `user_id` string COMMENT 'Whose it is',
  `session_id` string COMMENT 'The conversation',
  `job_id` string COMMENT 'The question with its answer',
  `job_version` int COMMENT 'From 1; grows whenever the job has changed',
  `block_index` int COMMENT 'Place among the blocks, from 0',
  `source_index` int COMMENT 'Place in the block, from 0',
  `source` string COMMENT 'The name of the source',
  `datasource_id` string COMMENT 'The data source',
  `dataset_id` string COMMENT 'The dataset',
  `file_type` string COMMENT 'The type of its file',
  `external_id` string COMMENT 'Its id elsewhere',
  `extra_json` string COMMENT 'Fields of the record beyond these columns, as JSON',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'The data that an answer rests on'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/sources/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`questions` (
  `user_id` string COMMENT 'Whose it is',
  `session_id` string COMMENT 'The conversation',
  `job_id` string COMMENT 'The question with its answer',
  `job_version` int COMMENT 'From 1; grows whenever the job has changed',
  `block_index` int COMMENT 'Place among the blocks, from 0',
  `question_index` int COMMENT 'Place in the block, from 0',
  `question` string COMMENT 'The proposed question',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'Questions that the assistant proposed next'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/questions/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`artifacts` (
  `user_id` string COMMENT 'Whose it is',
  `session_id` string COMMENT 'The conversation',
  `job_id` string COMMENT 'The question with its answer',
  `job_version` int COMMENT 'From 1; grows whenever the job has changed',
  `role` string COMMENT 'question or answer; record for a file outside of both',
  `block_index` int COMMENT 'Place among the blocks, from 0',
  `file_index` int COMMENT 'Place among the files of the block, from 0',
  `kind` string COMMENT 'TABLE, IMAGE, another type of block, MARKDOWN_IMAGE, PRESIGNED_LINK, RECORD or MORE',
  `name` string COMMENT 'As the service has it',
  `url` string COMMENT 'Where it was fetched, without signature',
  `expires_at` timestamp COMMENT 'When that address died',
  `status` string COMMENT 'stored, expired, missing, rejected, unresolved, failed or not_fetched',
  `reason` string COMMENT 'Why it is not stored',
  `suspicious` string COMMENT 'Why the content of a stored file is doubtful',
  `sha256` string COMMENT 'SHA-256 of the stored file',
  `bytes` bigint COMMENT 'Its size',
  `media_type` string COMMENT 'Its type',
  `path` string COMMENT 'Where the archive keeps it',
  `row_count` bigint COMMENT 'Rows of a table',
  `column_count` int COMMENT 'Columns of a table',
  `width` int COMMENT 'Of an image, in pixels',
  `height` int COMMENT 'Of an image, in pixels',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'The files that questions and answers point to, and what became of each'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/artifacts/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`raw_jobs` (
  `user_id` string COMMENT 'Whose it is',
  `session_id` string COMMENT 'The conversation',
  `job_id` string COMMENT 'The question with its answer',
  `job_version` int COMMENT 'From 1; grows whenever the job has changed',
  `record` string COMMENT 'The record as JSON, verbatim',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'The record of each job as the service sent it'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export')
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
  `name` string COMMENT 'As the service has it',
  `description` string COMMENT 'As the service has it',
  `summary` string COMMENT 'As the service has it',
  `keywords` string COMMENT 'A JSON array',
  `exploration_questions` string COMMENT 'A JSON array',
  `synched_count` int COMMENT 'Data sources that are ready',
  `invalid_count` int COMMENT 'Data sources that are not usable',
  `synching_count` int COMMENT 'Data sources that are being read',
  `extra_json` string COMMENT 'Fields of the record beyond these columns, as JSON',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'The datasets that a user sees; with export --with-datasets'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/datasets/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`deletions` (
  `user_id` string COMMENT 'Whose it is',
  `session_id` string COMMENT 'The conversation',
  `deleted_at` timestamp COMMENT 'When the deletion was recorded',
  `commit` bigint COMMENT 'The commit in which the session is archived',
  `job_count` int COMMENT 'How many jobs of it are archived',
  `outcome` string COMMENT 'confirmed, confirmed-later or already-gone',
  `run_id` string COMMENT 'The export that wrote the row',
  `exported_at` timestamp COMMENT 'When that export began'
)
COMMENT 'Sessions deleted from the service after they were archived'
PARTITIONED BY (`dt` date COMMENT 'UTC day of the export')
STORED AS PARQUET
LOCATION 's3://BUCKET/PREFIX/tables/deletions/'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.range' = '2024-01-01,NOW',
  'projection.dt.format' = 'yyyy-MM-dd'
);
