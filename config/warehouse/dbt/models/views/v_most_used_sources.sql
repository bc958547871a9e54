-- One row for each user and data source: in how many answers it was used, and when first and last.
SELECT
  questions.person AS user_id,
  questions.team,
  sources.datasource_id,
  sources.source,
  sources.file_type,
  COUNT(DISTINCT questions.job_id) AS questions,
  MIN(questions.asked_at) AS first_used_at,
  MAX(questions.asked_at) AS last_used_at
FROM {{ ref('v_questions') }} AS questions
JOIN {{ ref('current_sources') }} AS sources
  ON sources.user_id = questions.user_id AND sources.session_id = questions.session_id AND sources.job_id = questions.job_id
GROUP BY questions.person, questions.team, sources.datasource_id, sources.source, sources.file_type
