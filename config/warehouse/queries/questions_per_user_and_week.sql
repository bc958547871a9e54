-- Questions a user a week. Weeks begin on Monday, UTC, whatever the time zone of the session. A question whose id
-- tells no time counts at the latest time possible, as known when its row was written (v_usage_by_week looks at its
-- neighbours of now); week is null where nothing tells it.
SELECT
  user_id,
  CAST(date_trunc('week', coalesce(created_at, created_before, created_after) AT TIME ZONE 'UTC') AS DATE) AS week,
  COUNT(*) AS questions,
  COUNT(DISTINCT session_id) AS sessions
FROM current_jobs
GROUP BY 1, 2
ORDER BY 1, 2
