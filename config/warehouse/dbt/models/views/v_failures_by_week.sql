-- One row for each user and week: questions without an answer, with a lost file, and with a stored one of doubtful content; what may still be answered stands apart.
SELECT
  person AS user_id,
  team,
  week,
  COUNT(*) AS questions,
  SUM(CASE WHEN is_answered OR may_still_be_answered THEN 0 ELSE 1 END) AS without_answer,
  SUM(CASE WHEN may_still_be_answered THEN 1 ELSE 0 END) AS may_still_be_answered,
  SUM(CASE WHEN lost_files > 0 THEN 1 ELSE 0 END) AS with_lost_file,
  SUM(CASE WHEN has_suspicious_file THEN 1 ELSE 0 END) AS with_suspicious_file
FROM {{ ref('v_questions') }}
GROUP BY person, team, week
