-- One row for each user who has asked: conversations, questions, weeks, the first and the last time.
SELECT
  person AS user_id,
  team,
  COUNT(DISTINCT session_id) AS conversations,
  COUNT(*) AS questions,
  MIN(asked_at) AS first_at,
  MAX(asked_at) AS last_at,
  COUNT(DISTINCT week) AS active_weeks
FROM {{ ref('v_questions') }}
GROUP BY person, team
