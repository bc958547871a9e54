-- One row for each conversation: how many questions it has.
SELECT
  COALESCE(users.person, sessions.user_id) AS user_id,
  users.team,
  sessions.session_id,
  COUNT(questions.job_id) AS questions
FROM {{ ref('current_sessions') }} AS sessions
LEFT JOIN {{ ref('v_users') }} AS users
  ON users.user_id = sessions.user_id
LEFT JOIN {{ ref('v_questions') }} AS questions
  ON questions.user_id = sessions.user_id AND questions.session_id = sessions.session_id
GROUP BY COALESCE(users.person, sessions.user_id), users.team, sessions.session_id
