-- Answered questions whose answer shows no table.
SELECT
  user_id,
  session_id,
  job_id,
  question_text,
  created_at
FROM {{ ref('v_questions') }}
WHERE is_answered AND NOT has_table
