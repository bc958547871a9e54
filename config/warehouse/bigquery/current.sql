-- BigQuery: the newest version of everything. Made by npm run warehouse; do not edit.
-- Put in your own for gs://BUCKET/PREFIX.

-- The newest version of every session; is_deleted where it was deleted from the service.
CREATE OR REPLACE VIEW jobvault.current_sessions AS
SELECT
  rows_of.*,
  gone.deleted_at,
  gone.deleted_at IS NOT NULL AS is_deleted
FROM jobvault.`sessions` AS rows_of
JOIN (
  SELECT user_id, session_id, MAX(session_version) AS session_version
  FROM jobvault.`sessions`
  GROUP BY user_id, session_id
) AS newest
  ON rows_of.user_id = newest.user_id
  AND rows_of.session_id = newest.session_id
  AND rows_of.session_version = newest.session_version
LEFT JOIN (
  SELECT user_id, session_id, MAX(deleted_at) AS deleted_at
  FROM jobvault.`deletions`
  WHERE outcome <> 'already-gone'
  GROUP BY user_id, session_id
) AS gone
  ON rows_of.user_id = gone.user_id
  AND rows_of.session_id = gone.session_id
  AND gone.deleted_at >= rows_of.exported_at;

-- The newest version of every job.
CREATE OR REPLACE VIEW jobvault.current_jobs AS
SELECT rows_of.*
FROM jobvault.`jobs` AS rows_of
JOIN (
  SELECT user_id, session_id, job_id, MAX(job_version) AS job_version
  FROM jobvault.`jobs`
  GROUP BY user_id, session_id, job_id
) AS newest
  ON rows_of.user_id = newest.user_id
  AND rows_of.session_id = newest.session_id
  AND rows_of.job_id = newest.job_id
  AND rows_of.job_version = newest.job_version
WHERE NOT rows_of.is_withdrawn;

-- blocks of the newest jobs.
CREATE OR REPLACE VIEW jobvault.current_blocks AS
SELECT rows_of.*
FROM jobvault.`blocks` AS rows_of
JOIN (
  SELECT user_id, session_id, job_id, MAX(job_version) AS job_version
  FROM jobvault.`jobs`
  GROUP BY user_id, session_id, job_id
) AS newest
  ON rows_of.user_id = newest.user_id
  AND rows_of.session_id = newest.session_id
  AND rows_of.job_id = newest.job_id
  AND rows_of.job_version = newest.job_version;

-- sources of the newest jobs.
CREATE OR REPLACE VIEW jobvault.current_sources AS
SELECT rows_of.*
FROM jobvault.`sources` AS rows_of
JOIN (
  SELECT user_id, session_id, job_id, MAX(job_version) AS job_version
  FROM jobvault.`jobs`
  GROUP BY user_id, session_id, job_id
) AS newest
  ON rows_of.user_id = newest.user_id
  AND rows_of.session_id = newest.session_id
  AND rows_of.job_id = newest.job_id
  AND rows_of.job_version = newest.job_version;

-- proposed_questions of the newest jobs.
CREATE OR REPLACE VIEW jobvault.current_proposed_questions AS
SELECT rows_of.*
FROM jobvault.`proposed_questions` AS rows_of
JOIN (
  SELECT user_id, session_id, job_id, MAX(job_version) AS job_version
  FROM jobvault.`jobs`
  GROUP BY user_id, session_id, job_id
) AS newest
  ON rows_of.user_id = newest.user_id
  AND rows_of.session_id = newest.session_id
  AND rows_of.job_id = newest.job_id
  AND rows_of.job_version = newest.job_version;

-- artifacts of the newest jobs.
CREATE OR REPLACE VIEW jobvault.current_artifacts AS
SELECT rows_of.*
FROM jobvault.`artifacts` AS rows_of
JOIN (
  SELECT user_id, session_id, job_id, MAX(job_version) AS job_version
  FROM jobvault.`jobs`
  GROUP BY user_id, session_id, job_id
) AS newest
  ON rows_of.user_id = newest.user_id
  AND rows_of.session_id = newest.session_id
  AND rows_of.job_id = newest.job_id
  AND rows_of.job_version = newest.job_version;

-- raw_jobs of the newest jobs.
CREATE OR REPLACE VIEW jobvault.current_raw_jobs AS
SELECT rows_of.*
FROM jobvault.`raw_jobs` AS rows_of
JOIN (
  SELECT user_id, session_id, job_id, MAX(job_version) AS job_version
  FROM jobvault.`jobs`
  GROUP BY user_id, session_id, job_id
) AS newest
  ON rows_of.user_id = newest.user_id
  AND rows_of.session_id = newest.session_id
  AND rows_of.job_id = newest.job_id
  AND rows_of.job_version = newest.job_version;

-- Steps of an answer that belong together, by the blocks.
CREATE OR REPLACE VIEW jobvault.current_groups AS
SELECT
  user_id, session_id, job_id, job_version,
  ROW_NUMBER() OVER (PARTITION BY user_id, session_id, job_id, job_version ORDER BY MIN(block_index)) - 1 AS group_index,
  group_id,
  MAX(group_name) AS group_name,
  stage,
  MIN(block_index) AS first_block_index,
  MAX(block_index) AS last_block_index,
  COUNT(*) AS block_count,
  MIN(run_id) AS run_id,
  MIN(exported_at) AS exported_at
FROM jobvault.`current_blocks`
WHERE role = 'answer' AND group_id IS NOT NULL
GROUP BY user_id, session_id, job_id, job_version, group_id, stage;

-- The blocks of each stage of an answer, counted.
CREATE OR REPLACE VIEW jobvault.current_stages AS
SELECT
  user_id, session_id, job_id, job_version,
  stage,
  COUNT(*) AS block_count,
  CAST(SUM(CASE WHEN coalesce(type IN ('MESSAGE'), false) THEN 1 ELSE 0 END) AS BIGINT) AS message_count,
  CAST(SUM(CASE WHEN coalesce(type IN ('CODE'), false) THEN 1 ELSE 0 END) AS BIGINT) AS code_count,
  CAST(SUM(CASE WHEN coalesce(type IN ('TABLE'), false) THEN 1 ELSE 0 END) AS BIGINT) AS table_count,
  CAST(SUM(CASE WHEN coalesce(type IN ('IMAGE'), false) THEN 1 ELSE 0 END) AS BIGINT) AS image_count,
  CAST(SUM(COALESCE(char_count, 0)) AS BIGINT) AS char_count,
  MIN(block_index) AS first_block_index,
  MAX(block_index) AS last_block_index,
  MIN(run_id) AS run_id,
  MIN(exported_at) AS exported_at
FROM jobvault.`current_blocks`
WHERE role = 'answer' AND stage IS NOT NULL
GROUP BY user_id, session_id, job_id, job_version, stage;

-- Every dataset as the newest export saw it.
CREATE OR REPLACE VIEW jobvault.current_datasets AS
SELECT `dataset_id`, `name`, `description`, `summary`, `keywords`, `exploration_questions`, `synched_count`, `invalid_count`, `synching_count`, `extra_json`, `run_id`, `exported_at`, `dt`
FROM (
  SELECT
    rows_of.*,
    ROW_NUMBER() OVER (PARTITION BY dataset_id ORDER BY exported_at DESC, run_id DESC) AS place
  FROM jobvault.`datasets` AS rows_of
) AS ranked
WHERE place = 1;
