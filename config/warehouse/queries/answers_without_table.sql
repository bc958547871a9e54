-- Answered questions whose answer shows no table.
SELECT
  jobs.user_id,
  jobs.session_id,
  jobs.job_id,
  jobs.question_text,
  jobs.created_at
FROM current_jobs AS jobs
LEFT JOIN (
  SELECT DISTINCT user_id, session_id, job_id
  FROM current_blocks
  WHERE role = 'answer' AND type = 'TABLE'
) AS tables
  ON tables.user_id = jobs.user_id
  AND tables.session_id = jobs.session_id
  AND tables.job_id = jobs.job_id
WHERE jobs.respond_block_count > 0 AND tables.job_id IS NULL
ORDER BY 1, 2, 3
