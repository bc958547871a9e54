-- One row for each user and week: questions without an answer, and with a lost file; who was asked today or yesterday may still be answered.
SELECT
  user_id,
  team,
  week,
  COUNT(*) AS questions,
  SUM(CASE WHEN is_answered THEN 0 ELSE 1 END) AS without_answer,
  SUM(CASE WHEN lost_files > 0 THEN 1 ELSE 0 END) AS with_lost_file
FROM {{ ref('v_questions') }}
GROUP BY user_id, team, week
