-- Questions a user a week: weeks begin on Monday, UTC. A question counts at asked_at of v_questions, and in a week that is
-- null where that is.
SELECT
  user_id,
  {{ utc_monday('asked_at') }} AS week,
  COUNT(*) AS questions,
  COUNT(DISTINCT session_id) AS sessions
FROM (
  SELECT
    user_id,
    session_id,
    CASE
      WHEN created_at IS NOT NULL THEN created_at
      WHEN first_at < last_at AND falls = 0 THEN
        CASE
          WHEN next_at > archived_at THEN archived_at
          WHEN next_at IS NOT NULL THEN next_at
          WHEN archived_at > previous_at AND {{ utc_day('first_whole_at') }} < {{ utc_day('archived_at') }} THEN archived_at
          ELSE previous_at
        END
    END AS asked_at
  FROM (
    SELECT
      beside.*,
      SUM(CASE WHEN created_at < previous_at OR job_index = index_before THEN 1 ELSE 0 END) OVER (PARTITION BY user_id, session_id) AS falls
    FROM (
      SELECT
        jobs_now.user_id,
        jobs_now.session_id,
        jobs_now.created_at,
        jobs_now.job_index,
        archived.archived_at,
        whole.first_whole_at,
        MIN(created_at) OVER (PARTITION BY jobs_now.user_id, jobs_now.session_id) AS first_at,
        MAX(created_at) OVER (PARTITION BY jobs_now.user_id, jobs_now.session_id) AS last_at,
        LAG(job_index) OVER (PARTITION BY jobs_now.user_id, jobs_now.session_id ORDER BY job_index) AS index_before,
        MAX(created_at) OVER (PARTITION BY jobs_now.user_id, jobs_now.session_id ORDER BY job_index ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS previous_at,
        MIN(created_at) OVER (PARTITION BY jobs_now.user_id, jobs_now.session_id ORDER BY job_index ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_at
      FROM {{ ref('current_jobs') }} AS jobs_now
      JOIN (
        SELECT user_id, session_id, job_id, MIN(exported_at) AS archived_at
        FROM {{ source('jobvault', 'jobs') }}
        GROUP BY user_id, session_id, job_id
      ) AS archived
        ON archived.user_id = jobs_now.user_id
        AND archived.session_id = jobs_now.session_id
        AND archived.job_id = jobs_now.job_id
      LEFT JOIN (
        SELECT user_id, session_id, MIN(exported_at) AS first_whole_at
        FROM {{ source('jobvault', 'sessions') }}
        WHERE is_complete
        GROUP BY user_id, session_id
      ) AS whole
        ON whole.user_id = jobs_now.user_id
        AND whole.session_id = jobs_now.session_id
    ) AS beside
  ) AS placed
) AS asked
GROUP BY 1, 2
