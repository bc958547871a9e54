-- One row for each user, mode and kind of question (first question, follow-up, order unknown): questions without an answer, with a lost file, and with a stored one of doubtful content; what may still be answered stands apart.
SELECT
  person AS user_id,
  team,
  job_mode,
  question_type,
  COUNT(*) AS questions,
  SUM(CASE WHEN is_answered OR may_still_be_answered THEN 0 ELSE 1 END) AS without_answer,
  SUM(CASE WHEN may_still_be_answered THEN 1 ELSE 0 END) AS may_still_be_answered,
  SUM(CASE WHEN lost_files > 0 THEN 1 ELSE 0 END) AS with_lost_file,
  SUM(CASE WHEN has_suspicious_file THEN 1 ELSE 0 END) AS with_suspicious_file
FROM (
  SELECT
    asked.person,
    asked.team,
    sessions.job_mode,
    asked.is_answered,
    asked.may_still_be_answered,
    asked.lost_files,
    asked.has_suspicious_file,
    CASE WHEN NOT asked.is_ordered THEN 'order unknown' WHEN asked.place = 1 THEN 'first question' ELSE 'follow-up' END AS question_type
  FROM {{ ref('v_questions_in_order') }} AS asked
  LEFT JOIN {{ ref('current_sessions') }} AS sessions
    ON sessions.user_id = asked.user_id AND sessions.session_id = asked.session_id
) AS typed
GROUP BY person, team, job_mode, question_type
