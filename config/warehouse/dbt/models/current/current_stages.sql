-- The blocks of each stage of an answer, counted.
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
FROM {{ ref('current_blocks') }}
WHERE role = 'answer' AND stage IS NOT NULL
GROUP BY user_id, session_id, job_id, job_version, stage
