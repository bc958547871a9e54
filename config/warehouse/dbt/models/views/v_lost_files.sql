-- One row for each user, kind, status and reason: files that are not archived.
SELECT
  COALESCE(users.person, files.user_id) AS user_id,
  users.team,
  files.kind,
  files.status,
  files.reason,
  COUNT(*) AS files
FROM {{ ref('current_artifacts') }} AS files
LEFT JOIN {{ ref('v_users') }} AS users
  ON users.user_id = files.user_id
WHERE files.status <> 'stored'
GROUP BY COALESCE(users.person, files.user_id), users.team, files.kind, files.status, files.reason
