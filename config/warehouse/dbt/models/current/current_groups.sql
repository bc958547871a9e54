-- Steps of an answer that belong together, by the blocks.
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
FROM {{ ref('current_blocks') }}
WHERE role = 'answer' AND group_id IS NOT NULL
GROUP BY user_id, session_id, job_id, job_version, group_id, stage
