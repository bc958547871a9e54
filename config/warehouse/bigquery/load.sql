-- BigQuery: fills the tables from an archive. Made by npm run warehouse; do not edit.
-- Put in your own for gs://BUCKET/PREFIX.

-- Everything is replaced, so that what was compacted or erased is right as well.
-- A table without any file cannot be loaded: leave out its statement (datasets, deletions).

LOAD DATA OVERWRITE jobvault.`sessions` (
  `user_id` STRING NOT NULL OPTIONS (description = 'The user, as the export asked for it: the service may take another spelling for the same'),
  `session_id` STRING NOT NULL OPTIONS (description = 'The conversation'),
  `session_version` INT64 NOT NULL OPTIONS (description = 'From 1; increases each time the session is written again'),
  `name` STRING OPTIONS (description = 'The name in the service'),
  `output_language` STRING OPTIONS (description = 'The language of answers: EN, DE, ...'),
  `job_mode` STRING OPTIONS (description = 'How answers are made: AUTO, ...'),
  `max_contextual_job_history` INT64 OPTIONS (description = 'How many earlier jobs an answer takes into account'),
  `agent_id` STRING OPTIONS (description = 'The agent that answers'),
  `job_count` INT64 OPTIONS (description = 'Number of archived jobs'),
  `is_complete` BOOL OPTIONS (description = 'Whether all of its jobs are archived'),
  `extra_json` STRING OPTIONS (description = 'Fields of the record beyond these columns, as JSON'),
  `created_at` TIMESTAMP OPTIONS (description = 'Creation time in the id; null if the id contains no time'),
  `created_at_source` STRING OPTIONS (description = 'The kind of that id: cuid, uuid7 or ulid'),
  `created_after` TIMESTAMP OPTIONS (description = 'Lower bound of the creation time: created_at, else the time of the previous job, as known when the row was written'),
  `created_before` TIMESTAMP OPTIONS (description = 'Upper bound of the creation time: created_at, else the time of the next job, as known when the row was written'),
  `run_id` STRING OPTIONS (description = 'The export that wrote the row'),
  `exported_at` TIMESTAMP OPTIONS (description = 'When that export began')
)
PARTITION BY `dt`
OPTIONS (description = 'Conversations; one row per version')
FROM FILES (
  format = 'PARQUET',
  uris = ['gs://BUCKET/PREFIX/tables/sessions/dt=*.parquet'],
  hive_partition_uri_prefix = 'gs://BUCKET/PREFIX/tables/sessions'
)
WITH PARTITION COLUMNS (`dt` DATE);

LOAD DATA OVERWRITE jobvault.`jobs` (
  `user_id` STRING NOT NULL OPTIONS (description = 'The user, as the export asked for it: the service may take another spelling for the same'),
  `session_id` STRING NOT NULL OPTIONS (description = 'The conversation'),
  `job_id` STRING NOT NULL OPTIONS (description = 'The question with its answer'),
  `job_version` INT64 NOT NULL OPTIONS (description = 'From 1; increases each time the job has changed'),
  `job_index` INT64 OPTIONS (description = 'From 0: oldest first if the ids contain times, else in the order of the service'),
  `question_text` STRING OPTIONS (description = 'The question'),
  `answer_text` STRING OPTIONS (description = 'The messages of the stage Respond, separated by blank lines'),
  `is_settled` BOOL OPTIONS (description = 'Whether the answer will not change any more'),
  `question_block_count` INT64 OPTIONS (description = 'Blocks of the question'),
  `answer_block_count` INT64 OPTIONS (description = 'Blocks of the answer'),
  `analyze_block_count` INT64 OPTIONS (description = 'Blocks of the stage Analyze'),
  `respond_block_count` INT64 OPTIONS (description = 'Blocks of the stage Respond'),
  `artifact_count` INT64 OPTIONS (description = 'Files that it points to'),
  `source_count` INT64 OPTIONS (description = 'Number of sources'),
  `content_hash` STRING OPTIONS (description = 'Hash of the content, without the parts that change with every read'),
  `created_at` TIMESTAMP OPTIONS (description = 'Creation time in the id; null if the id contains no time'),
  `created_at_source` STRING OPTIONS (description = 'The kind of that id: cuid, uuid7 or ulid'),
  `created_after` TIMESTAMP OPTIONS (description = 'Lower bound of the creation time: created_at, else the time of the previous job, as known when the row was written'),
  `created_before` TIMESTAMP OPTIONS (description = 'Upper bound of the creation time: created_at, else the time of the next job, as known when the row was written'),
  `run_id` STRING OPTIONS (description = 'The export that wrote the row'),
  `exported_at` TIMESTAMP OPTIONS (description = 'When that export began')
)
PARTITION BY `dt`
OPTIONS (description = 'Questions and their answers; one row per version')
FROM FILES (
  format = 'PARQUET',
  uris = ['gs://BUCKET/PREFIX/tables/jobs/dt=*.parquet'],
  hive_partition_uri_prefix = 'gs://BUCKET/PREFIX/tables/jobs'
)
WITH PARTITION COLUMNS (`dt` DATE);

LOAD DATA OVERWRITE jobvault.`blocks` (
  `user_id` STRING NOT NULL OPTIONS (description = 'The user, as the export asked for it: the service may take another spelling for the same'),
  `session_id` STRING NOT NULL OPTIONS (description = 'The conversation'),
  `job_id` STRING NOT NULL OPTIONS (description = 'The question with its answer'),
  `job_version` INT64 NOT NULL OPTIONS (description = 'From 1; increases each time the job has changed'),
  `role` STRING NOT NULL OPTIONS (description = 'question or answer; record for a file outside of both'),
  `block_index` INT64 NOT NULL OPTIONS (description = 'Position among the blocks, from 0'),
  `type` STRING OPTIONS (description = 'MESSAGE, CODE, TABLE, IMAGE, SOURCES, QUESTIONS, ...'),
  `type_raw` STRING OPTIONS (description = 'The type as the service spelt it'),
  `stage` STRING OPTIONS (description = 'Analyze or Respond'),
  `group_id` STRING OPTIONS (description = 'The step that it belongs to; null without a step'),
  `group_name` STRING OPTIONS (description = 'The name of the step'),
  `content_text` STRING OPTIONS (description = 'The text of a message or of code'),
  `content_json` STRING OPTIONS (description = 'The content of every other block, as JSON'),
  `code_language` STRING OPTIONS (description = 'The language of code'),
  `char_count` INT64 OPTIONS (description = 'Characters of text'),
  `artifact_sha256` STRING OPTIONS (description = 'SHA-256 of the stored file; of the first one if there are several'),
  `run_id` STRING OPTIONS (description = 'The export that wrote the row'),
  `exported_at` TIMESTAMP OPTIONS (description = 'When that export began')
)
PARTITION BY `dt`
OPTIONS (description = 'The parts of questions and answers: texts, code, tables, images')
FROM FILES (
  format = 'PARQUET',
  uris = ['gs://BUCKET/PREFIX/tables/blocks/dt=*.parquet'],
  hive_partition_uri_prefix = 'gs://BUCKET/PREFIX/tables/blocks'
)
WITH PARTITION COLUMNS (`dt` DATE);

LOAD DATA OVERWRITE jobvault.`groups` (
  `user_id` STRING NOT NULL OPTIONS (description = 'The user, as the export asked for it: the service may take another spelling for the same'),
  `session_id` STRING NOT NULL OPTIONS (description = 'The conversation'),
  `job_id` STRING NOT NULL OPTIONS (description = 'The question with its answer'),
  `job_version` INT64 NOT NULL OPTIONS (description = 'From 1; increases each time the job has changed'),
  `group_index` INT64 NOT NULL OPTIONS (description = 'Position among the groups, from 0'),
  `group_id` STRING OPTIONS (description = 'The step that it belongs to; null without a step'),
  `group_name` STRING OPTIONS (description = 'The name of the step'),
  `stage` STRING OPTIONS (description = 'Analyze or Respond'),
  `first_block_index` INT64 OPTIONS (description = 'Index of its first block'),
  `last_block_index` INT64 OPTIONS (description = 'Index of its last block'),
  `block_count` INT64 OPTIONS (description = 'Number of blocks'),
  `run_id` STRING OPTIONS (description = 'The export that wrote the row'),
  `exported_at` TIMESTAMP OPTIONS (description = 'When that export began')
)
PARTITION BY `dt`
OPTIONS (description = 'Steps of an answer that belong together')
FROM FILES (
  format = 'PARQUET',
  uris = ['gs://BUCKET/PREFIX/tables/groups/dt=*.parquet'],
  hive_partition_uri_prefix = 'gs://BUCKET/PREFIX/tables/groups'
)
WITH PARTITION COLUMNS (`dt` DATE);

LOAD DATA OVERWRITE jobvault.`stages` (
  `user_id` STRING NOT NULL OPTIONS (description = 'The user, as the export asked for it: the service may take another spelling for the same'),
  `session_id` STRING NOT NULL OPTIONS (description = 'The conversation'),
  `job_id` STRING NOT NULL OPTIONS (description = 'The question with its answer'),
  `job_version` INT64 NOT NULL OPTIONS (description = 'From 1; increases each time the job has changed'),
  `stage` STRING NOT NULL OPTIONS (description = 'Analyze or Respond'),
  `block_count` INT64 OPTIONS (description = 'Number of blocks'),
  `message_count` INT64 OPTIONS (description = 'Number of messages'),
  `code_count` INT64 OPTIONS (description = 'Number of pieces of code'),
  `table_count` INT64 OPTIONS (description = 'Number of tables'),
  `image_count` INT64 OPTIONS (description = 'Number of images'),
  `char_count` INT64 OPTIONS (description = 'Characters of text'),
  `first_block_index` INT64 OPTIONS (description = 'Index of its first block'),
  `last_block_index` INT64 OPTIONS (description = 'Index of its last block'),
  `run_id` STRING OPTIONS (description = 'The export that wrote the row'),
  `exported_at` TIMESTAMP OPTIONS (description = 'When that export began')
)
PARTITION BY `dt`
OPTIONS (description = 'The blocks of each stage of an answer, counted')
FROM FILES (
  format = 'PARQUET',
  uris = ['gs://BUCKET/PREFIX/tables/stages/dt=*.parquet'],
  hive_partition_uri_prefix = 'gs://BUCKET/PREFIX/tables/stages'
)
WITH PARTITION COLUMNS (`dt` DATE);

LOAD DATA OVERWRITE jobvault.`sources` (
  `user_id` STRING NOT NULL OPTIONS (description = 'The user, as the export asked for it: the service may take another spelling for the same'),
  `session_id` STRING NOT NULL OPTIONS (description = 'The conversation'),
  `job_id` STRING NOT NULL OPTIONS (description = 'The question with its answer'),
  `job_version` INT64 NOT NULL OPTIONS (description = 'From 1; increases each time the job has changed'),
  `block_index` INT64 NOT NULL OPTIONS (description = 'Position among the blocks, from 0'),
  `source_index` INT64 NOT NULL OPTIONS (description = 'Position in the block, from 0'),
  `source` STRING OPTIONS (description = 'The name of the source'),
  `datasource_id` STRING OPTIONS (description = 'The data source'),
  `dataset_id` STRING OPTIONS (description = 'The dataset'),
  `file_type` STRING OPTIONS (description = 'The type of its file'),
  `external_id` STRING OPTIONS (description = 'Its id in another system'),
  `extra_json` STRING OPTIONS (description = 'Fields of the record beyond these columns, as JSON'),
  `source_entry_id` STRING OPTIONS (description = 'The id of the cited passage in the service; null where it sends none'),
  `content` STRING OPTIONS (description = 'The cited passage; null where the service sends none'),
  `page_no` INT64 OPTIONS (description = 'The page of the passage; null where the service sends none'),
  `run_id` STRING OPTIONS (description = 'The export that wrote the row'),
  `exported_at` TIMESTAMP OPTIONS (description = 'When that export began')
)
PARTITION BY `dt`
OPTIONS (description = 'The data that an answer is based on')
FROM FILES (
  format = 'PARQUET',
  uris = ['gs://BUCKET/PREFIX/tables/sources/dt=*.parquet'],
  hive_partition_uri_prefix = 'gs://BUCKET/PREFIX/tables/sources'
)
WITH PARTITION COLUMNS (`dt` DATE);

LOAD DATA OVERWRITE jobvault.`questions` (
  `user_id` STRING NOT NULL OPTIONS (description = 'The user, as the export asked for it: the service may take another spelling for the same'),
  `session_id` STRING NOT NULL OPTIONS (description = 'The conversation'),
  `job_id` STRING NOT NULL OPTIONS (description = 'The question with its answer'),
  `job_version` INT64 NOT NULL OPTIONS (description = 'From 1; increases each time the job has changed'),
  `block_index` INT64 NOT NULL OPTIONS (description = 'Position among the blocks, from 0'),
  `question_index` INT64 NOT NULL OPTIONS (description = 'Position in the block, from 0'),
  `question` STRING OPTIONS (description = 'The proposed question'),
  `run_id` STRING OPTIONS (description = 'The export that wrote the row'),
  `exported_at` TIMESTAMP OPTIONS (description = 'When that export began')
)
PARTITION BY `dt`
OPTIONS (description = 'Follow-up questions that the assistant proposed')
FROM FILES (
  format = 'PARQUET',
  uris = ['gs://BUCKET/PREFIX/tables/questions/dt=*.parquet'],
  hive_partition_uri_prefix = 'gs://BUCKET/PREFIX/tables/questions'
)
WITH PARTITION COLUMNS (`dt` DATE);

LOAD DATA OVERWRITE jobvault.`artifacts` (
  `user_id` STRING NOT NULL OPTIONS (description = 'The user, as the export asked for it: the service may take another spelling for the same'),
  `session_id` STRING NOT NULL OPTIONS (description = 'The conversation'),
  `job_id` STRING NOT NULL OPTIONS (description = 'The question with its answer'),
  `job_version` INT64 NOT NULL OPTIONS (description = 'From 1; increases each time the job has changed'),
  `role` STRING NOT NULL OPTIONS (description = 'question or answer; record for a file outside of both'),
  `block_index` INT64 NOT NULL OPTIONS (description = 'Position among the blocks, from 0'),
  `file_index` INT64 NOT NULL OPTIONS (description = 'Position among the files of the block, from 0'),
  `kind` STRING OPTIONS (description = 'TABLE, IMAGE, another type of block, MARKDOWN_IMAGE, PRESIGNED_LINK, RECORD or MORE'),
  `name` STRING OPTIONS (description = 'The name in the service'),
  `url` STRING OPTIONS (description = 'The URL that it was fetched from, without signature'),
  `expires_at` TIMESTAMP OPTIONS (description = 'When that URL expired'),
  `status` STRING OPTIONS (description = 'stored, expired, missing, rejected, unresolved, failed or not_fetched'),
  `reason` STRING OPTIONS (description = 'Why the file is not stored'),
  `suspicious` STRING OPTIONS (description = 'Why the content of a stored file is doubtful'),
  `sha256` STRING OPTIONS (description = 'SHA-256 of the stored file'),
  `bytes` INT64 OPTIONS (description = 'Size of the file'),
  `media_type` STRING OPTIONS (description = 'Media type of the file'),
  `path` STRING OPTIONS (description = 'Path in the archive'),
  `row_count` INT64 OPTIONS (description = 'Rows of a table'),
  `column_count` INT64 OPTIONS (description = 'Columns of a table'),
  `width` INT64 OPTIONS (description = 'Of an image, in pixels'),
  `height` INT64 OPTIONS (description = 'Of an image, in pixels'),
  `table_text` STRING OPTIONS (description = 'The first rows of a table, up to 16 KB: cells set apart by tabs; for searches'),
  `run_id` STRING OPTIONS (description = 'The export that wrote the row'),
  `exported_at` TIMESTAMP OPTIONS (description = 'When that export began')
)
PARTITION BY `dt`
OPTIONS (description = 'The files that questions and answers point to, with the status of each')
FROM FILES (
  format = 'PARQUET',
  uris = ['gs://BUCKET/PREFIX/tables/artifacts/dt=*.parquet'],
  hive_partition_uri_prefix = 'gs://BUCKET/PREFIX/tables/artifacts'
)
WITH PARTITION COLUMNS (`dt` DATE);

LOAD DATA OVERWRITE jobvault.`raw_jobs` (
  `user_id` STRING NOT NULL OPTIONS (description = 'The user, as the export asked for it: the service may take another spelling for the same'),
  `session_id` STRING NOT NULL OPTIONS (description = 'The conversation'),
  `job_id` STRING NOT NULL OPTIONS (description = 'The question with its answer'),
  `job_version` INT64 NOT NULL OPTIONS (description = 'From 1; increases each time the job has changed'),
  `record` STRING OPTIONS (description = 'The record as JSON, verbatim'),
  `run_id` STRING OPTIONS (description = 'The export that wrote the row'),
  `exported_at` TIMESTAMP OPTIONS (description = 'When that export began')
)
PARTITION BY `dt`
OPTIONS (description = 'The record of each job as the service sent it')
FROM FILES (
  format = 'PARQUET',
  uris = ['gs://BUCKET/PREFIX/tables/raw_jobs/dt=*.parquet'],
  hive_partition_uri_prefix = 'gs://BUCKET/PREFIX/tables/raw_jobs'
)
WITH PARTITION COLUMNS (`dt` DATE);

LOAD DATA OVERWRITE jobvault.`datasets` (
  `dataset_id` STRING NOT NULL OPTIONS (description = 'The dataset'),
  `name` STRING OPTIONS (description = 'The name in the service'),
  `description` STRING OPTIONS (description = 'The description in the service'),
  `summary` STRING OPTIONS (description = 'The summary in the service'),
  `keywords` STRING OPTIONS (description = 'A JSON array'),
  `exploration_questions` STRING OPTIONS (description = 'A JSON array'),
  `synched_count` INT64 OPTIONS (description = 'Data sources that are ready to use'),
  `invalid_count` INT64 OPTIONS (description = 'Data sources that are not usable'),
  `synching_count` INT64 OPTIONS (description = 'Data sources that are being read'),
  `extra_json` STRING OPTIONS (description = 'Fields of the record beyond these columns, as JSON'),
  `run_id` STRING OPTIONS (description = 'The export that wrote the row'),
  `exported_at` TIMESTAMP OPTIONS (description = 'When that export began')
)
PARTITION BY `dt`
OPTIONS (description = 'The datasets that a user sees; with export --with-datasets')
FROM FILES (
  format = 'PARQUET',
  uris = ['gs://BUCKET/PREFIX/tables/datasets/dt=*.parquet'],
  hive_partition_uri_prefix = 'gs://BUCKET/PREFIX/tables/datasets'
)
WITH PARTITION COLUMNS (`dt` DATE);

LOAD DATA OVERWRITE jobvault.`deletions` (
  `user_id` STRING NOT NULL OPTIONS (description = 'The user, as the export asked for it: the service may take another spelling for the same'),
  `session_id` STRING NOT NULL OPTIONS (description = 'The conversation'),
  `deleted_at` TIMESTAMP OPTIONS (description = 'When the deletion was recorded'),
  `commit` INT64 OPTIONS (description = 'The commit in which the session is archived'),
  `job_count` INT64 OPTIONS (description = 'Number of archived jobs'),
  `outcome` STRING OPTIONS (description = 'confirmed, confirmed-later or already-gone'),
  `run_id` STRING OPTIONS (description = 'The export that wrote the row'),
  `exported_at` TIMESTAMP OPTIONS (description = 'When that export began')
)
PARTITION BY `dt`
OPTIONS (description = 'Sessions deleted from the service after they were archived')
FROM FILES (
  format = 'PARQUET',
  uris = ['gs://BUCKET/PREFIX/tables/deletions/dt=*.parquet'],
  hive_partition_uri_prefix = 'gs://BUCKET/PREFIX/tables/deletions'
)
WITH PARTITION COLUMNS (`dt` DATE);
