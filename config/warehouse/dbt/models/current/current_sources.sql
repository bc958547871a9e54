-- sources of the newest jobs.
SELECT rows_of.*
FROM {{ ref('sources') }} AS rows_of
JOIN (
  SELECT user_id, session_id, job_id, MAX(job_version) AS job_version
  FROM {{ ref('jobs') }}
  GROUP BY user_id, session_id, job_id
) AS newest
  ON rows_of.user_id = newest.user_id
  AND rows_of.session_id = newest.session_id
  AND rows_of.job_id = newest.job_id
  AND rows_of.job_version = newest.job_version
WHERE NOT EXISTS (SELECT 1 FROM {{ source('jobvault', 'sessions_listed_again') }} AS again WHERE again.user_id = rows_of.user_id AND again.session_id = rows_of.session_id)
