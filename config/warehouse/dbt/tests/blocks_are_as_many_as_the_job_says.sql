-- A job's answer has as many blocks as the job says: no part file is missing, none was loaded twice.
SELECT jobs.user_id, jobs.session_id, jobs.job_id
FROM {{ ref('current_jobs') }} AS jobs
LEFT JOIN {{ ref('current_blocks') }} AS blocks
  ON blocks.user_id = jobs.user_id
  AND blocks.session_id = jobs.session_id
  AND blocks.job_id = jobs.job_id
  AND blocks.role = 'answer'
GROUP BY jobs.user_id, jobs.session_id, jobs.job_id, jobs.answer_block_count
HAVING COUNT(blocks.block_index) <> MAX(jobs.answer_block_count)
