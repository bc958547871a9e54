-- Answered questions whose answer shows no table.
SELECT
  user_id,
  session_id,
  job_id,
  question_text,
  created_at
FROM v_answers
WHERE is_answered AND NOT has_table
ORDER BY 1, 2, 3
