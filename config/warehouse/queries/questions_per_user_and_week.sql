-- Questions a user a week. Weeks begin on Monday, UTC; week is null where no id tells when a question was asked.
SELECT
  user_id,
  CAST(date_trunc('week', created_at) AS DATE) AS week,
  COUNT(*) AS questions,
  COUNT(DISTINCT session_id) AS sessions
FROM current_jobs
GROUP BY 1, 2
ORDER BY 1, 2
