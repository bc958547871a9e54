-- Files that the archive could not store, and why.
SELECT
  artifacts.user_id,
  artifacts.session_id,
  artifacts.job_id,
  artifacts.role,
  artifacts.block_index,
  artifacts.file_index,
  artifacts.kind,
  artifacts.name,
  artifacts.status,
  artifacts.reason,
  artifacts.exported_at
FROM {{ ref('current_artifacts') }} AS artifacts
WHERE artifacts.status <> 'stored'
