-- One row for each user and data source, known by its id, name, file type and dataset: in how many answers it was used, and the first and the last day.
SELECT
  questions.person AS user_id,
  questions.team,
  NULLIF(sources.datasource_id, '') AS datasource_id,
  sources.source,
  sources.file_type,
  sources.dataset_id,
  COUNT(DISTINCT questions.session_id || '|' || questions.job_id) AS questions,
  {{ utc_day('MIN(questions.asked_at)') }} AS first_used,
  {{ utc_day('MAX(questions.asked_at)') }} AS last_used
FROM {{ ref('v_questions') }} AS questions
JOIN {{ ref('current_sources') }} AS sources
  ON sources.user_id = questions.user_id AND sources.session_id = questions.session_id AND sources.job_id = questions.job_id
GROUP BY questions.person, questions.team, NULLIF(sources.datasource_id, ''), sources.source, sources.file_type, sources.dataset_id
