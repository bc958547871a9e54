-- The newest version of every session; is_deleted where it was deleted from the service.
SELECT
  rows_of.*,
  gone.deleted_at,
  gone.deleted_at IS NOT NULL AS is_deleted
FROM {{ ref('sessions') }} AS rows_of
JOIN (
  SELECT user_id, session_id, MAX(session_version) AS session_version
  FROM {{ ref('sessions') }}
  GROUP BY user_id, session_id
) AS newest
  ON rows_of.user_id = newest.user_id
  AND rows_of.session_id = newest.session_id
  AND rows_of.session_version = newest.session_version
LEFT JOIN (
  SELECT user_id, session_id, MAX(deleted_at) AS deleted_at
  FROM {{ ref('deletions') }}
  WHERE outcome <> 'already-gone'
  GROUP BY user_id, session_id
) AS gone
  ON rows_of.user_id = gone.user_id
  AND rows_of.session_id = gone.session_id
  AND gone.deleted_at >= rows_of.exported_at
WHERE NOT EXISTS (SELECT 1 FROM {{ source('jobvault', 'sessions_listed_again') }} AS again WHERE again.user_id = rows_of.user_id AND again.session_id = rows_of.session_id)
