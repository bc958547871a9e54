-- One row for each user and week with a question: conversations and questions.
SELECT
  person AS user_id,
  team,
  week,
  COUNT(DISTINCT session_id) AS conversations,
  COUNT(*) AS questions,
  SUM(CASE WHEN created_at IS NULL THEN 1 ELSE 0 END) AS undated
FROM {{ ref('v_questions') }}
GROUP BY person, team, week
