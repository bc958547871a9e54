-- One row for each user, week and data source, known by its id, name, file type and dataset: in how many answers it was used.
SELECT
  questions.person AS user_id,
  questions.team,
  questions.week,
  NULLIF(sources.datasource_id, '') AS datasource_id,
  sources.source,
  sources.file_type,
  sources.dataset_id,
  COUNT(DISTINCT questions.session_id || '|' || questions.job_id) AS questions
FROM {{ ref('v_questions') }} AS questions
JOIN {{ ref('current_sources') }} AS sources
  ON sources.user_id = questions.user_id AND sources.session_id = questions.session_id AND sources.job_id = questions.job_id
GROUP BY questions.person, questions.team, questions.week, NULLIF(sources.datasource_id, ''), sources.source, sources.file_type, sources.dataset_id
