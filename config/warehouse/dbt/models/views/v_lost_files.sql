-- One row for each user, kind, status and reason: files that are not archived, and in how many answers.
SELECT
  COALESCE(users.person, files.user_id) AS user_id,
  users.team,
  files.kind,
  files.status,
  files.reason,
  COUNT(*) AS files,
  COUNT(DISTINCT files.session_id || '|' || files.job_id) AS questions
FROM {{ ref('current_artifacts') }} AS files
LEFT JOIN {{ ref('v_users') }} AS users
  ON users.user_id = files.user_id
WHERE files.status <> 'stored'
GROUP BY COALESCE(users.person, files.user_id), users.team, files.kind, files.status, files.reason
