-- One row for each question: who asked it and when, and what its answer has; it may still be answered if it was not settled when it was read, and was asked (without a time of its own: first archived) today or yesterday (UTC).
SELECT
  asked.user_id,
  COALESCE(users.person, asked.user_id) AS person,
  users.team,
  asked.session_id,
  asked.job_id,
  asked.job_index,
  asked.asked_at,
  asked.asked_after,
  asked.asked_before,
  CASE WHEN {{ utc_monday('asked.asked_after') }} = {{ utc_monday('asked.asked_before') }} THEN {{ utc_monday('asked.asked_after') }} END AS week,
  CASE WHEN {{ utc_month('asked.asked_after') }} = {{ utc_month('asked.asked_before') }} THEN {{ utc_month('asked.asked_after') }} END AS month,
  asked.created_at,
  asked.question_text,
  asked.source_count,
  COALESCE(blocks.is_answered, 0) = 1 AS is_answered,
  COALESCE(blocks.is_answered, 0) = 0 AND NOT asked.is_settled
    AND {{ utc_day('COALESCE(asked.created_at, asked.archived_at)') }} >= {{ utc_day_before('CURRENT_TIMESTAMP') }} AS may_still_be_answered,
  COALESCE(blocks.has_table, 0) = 1 AS has_table,
  COALESCE(blocks.has_image, 0) = 1 AS has_image,
  COALESCE(blocks.has_code, 0) = 1 AS has_code,
  COALESCE(files.lost_files, 0) AS lost_files,
  COALESCE(stored.is_suspicious, 0) = 1 AS has_suspicious_file
FROM (
  SELECT
    placed.*,
    created_at AS asked_at,
    CASE WHEN created_at IS NOT NULL THEN created_at WHEN job_id LIKE 'p-%' AND LENGTH(job_id) = 34 THEN created_after WHEN is_placed = 1 THEN previous_at END AS asked_after,
    CASE WHEN created_at IS NOT NULL THEN created_at WHEN job_id LIKE 'p-%' AND LENGTH(job_id) = 34 THEN created_before WHEN is_placed = 1 THEN next_at END AS asked_before
  FROM (
    SELECT
      beside.*,
      CASE
        WHEN (MIN(created_at) OVER (PARTITION BY user_id, session_id) < MAX(created_at) OVER (PARTITION BY user_id, session_id) OR previous_at = next_at)
          AND SUM(CASE WHEN created_at < previous_at OR job_index = index_before THEN 1 ELSE 0 END) OVER (PARTITION BY user_id, session_id) = 0
          AND SUM(CASE WHEN job_id > id_before THEN 1 ELSE 0 END) OVER (PARTITION BY user_id, session_id) > 0
          AND SUM(CASE WHEN job_id <= id_before THEN 1 ELSE 0 END) OVER (PARTITION BY user_id, session_id) > 0
        THEN 1
        ELSE 0
      END AS is_placed
    FROM (
      SELECT
        jobs_now.user_id,
        jobs_now.session_id,
        jobs_now.job_id,
        jobs_now.created_at,
        jobs_now.created_after,
        jobs_now.created_before,
        jobs_now.job_index,
        jobs_now.question_text,
        jobs_now.source_count,
        jobs_now.is_settled,
        archived.archived_at,
        LAG(job_index) OVER (PARTITION BY jobs_now.user_id, jobs_now.session_id ORDER BY job_index) AS index_before,
        LAG(jobs_now.job_id) OVER (PARTITION BY jobs_now.user_id, jobs_now.session_id ORDER BY job_index) AS id_before,
        MAX(created_at) OVER (PARTITION BY jobs_now.user_id, jobs_now.session_id ORDER BY job_index ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS previous_at,
        MIN(created_at) OVER (PARTITION BY jobs_now.user_id, jobs_now.session_id ORDER BY job_index ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_at
      FROM {{ ref('current_jobs') }} AS jobs_now
      JOIN (
        SELECT session_id, job_id, MIN(exported_at) AS archived_at
        FROM {{ ref('jobs') }}
        GROUP BY session_id, job_id
      ) AS archived
        ON archived.session_id = jobs_now.session_id
        AND archived.job_id = jobs_now.job_id
    ) AS beside
  ) AS placed
) AS asked
LEFT JOIN {{ ref('v_users') }} AS users
  ON users.user_id = asked.user_id
LEFT JOIN (
  SELECT
    user_id, session_id, job_id,
    MAX(CASE WHEN stage = 'Respond' AND (char_count > 0 OR coalesce(type IN ('TABLE'), false) OR coalesce(type IN ('IMAGE'), false)) THEN 1 ELSE 0 END) AS is_answered,
    MAX(CASE WHEN coalesce(type IN ('TABLE'), false) THEN 1 ELSE 0 END) AS has_table,
    MAX(CASE WHEN coalesce(type IN ('IMAGE'), false) THEN 1 ELSE 0 END) AS has_image,
    MAX(CASE WHEN coalesce(type IN ('CODE'), false) THEN 1 ELSE 0 END) AS has_code
  FROM {{ ref('current_blocks') }}
  WHERE role = 'answer'
  GROUP BY user_id, session_id, job_id
) AS blocks
  ON blocks.user_id = asked.user_id AND blocks.session_id = asked.session_id AND blocks.job_id = asked.job_id
LEFT JOIN (
  SELECT user_id, session_id, job_id, COUNT(*) AS lost_files
  FROM {{ ref('current_artifacts') }} AS lost
  WHERE status <> 'stored'
    AND NOT EXISTS (
      SELECT 1 FROM {{ source('jobvault', 'accepted_losses') }} AS accepted
      WHERE accepted.user_id = lost.user_id AND accepted.session_id = lost.session_id AND accepted.job_id = lost.job_id AND accepted.role = lost.role AND accepted.block_index = lost.block_index AND accepted.file_index = lost.file_index
    )
  GROUP BY user_id, session_id, job_id
) AS files
  ON files.user_id = asked.user_id AND files.session_id = asked.session_id AND files.job_id = asked.job_id
LEFT JOIN (
  SELECT
    user_id, session_id, job_id,
    MAX(CASE WHEN suspicious IS NOT NULL THEN 1 ELSE 0 END) AS is_suspicious
  FROM {{ ref('current_artifacts') }}
  GROUP BY user_id, session_id, job_id
) AS stored
  ON stored.user_id = asked.user_id AND stored.session_id = asked.session_id AND stored.job_id = asked.job_id
