-- One row for each user who has asked: conversations, questions, weeks, the first and the last day.
SELECT
  person AS user_id,
  team,
  COUNT(DISTINCT session_id) AS conversations,
  COUNT(*) AS questions,
  {{ utc_day('MIN(asked_at)') }} AS first_day,
  {{ utc_day('MAX(asked_at)') }} AS last_day,
  COUNT(DISTINCT week) AS active_weeks
FROM {{ ref('v_questions') }}
GROUP BY person, team
