-- Questions a user a week, each spelling of an id by itself: weeks begin on Monday, UTC. The week is null where nothing tells when.
SELECT
  user_id,
  week,
  COUNT(*) AS questions,
  COUNT(DISTINCT session_id) AS sessions
FROM {{ ref('v_questions') }}
GROUP BY 1, 2
