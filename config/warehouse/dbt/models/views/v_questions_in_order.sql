-- One row for each question with its place in the conversation and the question that came next; is_ordered where the order is known.
SELECT
  user_id,
  person,
  team,
  session_id,
  job_id,
  month,
  is_answered,
  may_still_be_answered,
  lost_files,
  has_suspicious_file,
  ROW_NUMBER() OVER (PARTITION BY user_id, session_id ORDER BY CASE WHEN undated = 0 THEN created_at END, job_index, job_id) AS place,
  LEAD(question_text) OVER (PARTITION BY user_id, session_id ORDER BY CASE WHEN undated = 0 THEN created_at END, job_index, job_id) AS next_question,
  (CASE WHEN alone = 1 OR (first_at < last_at AND (undated = 0 OR falls = 0)) THEN 1 ELSE 0 END) = 1 AS is_ordered
FROM (
  SELECT
    beside.*,
    SUM(CASE WHEN created_at < latest_before OR job_index <= index_before THEN 1 ELSE 0 END) OVER (PARTITION BY user_id, session_id) AS falls
  FROM (
    SELECT
      questions.*,
      COUNT(*) OVER (PARTITION BY user_id, session_id) AS alone,
      MIN(created_at) OVER (PARTITION BY user_id, session_id) AS first_at,
      MAX(created_at) OVER (PARTITION BY user_id, session_id) AS last_at,
      SUM(CASE WHEN created_at IS NULL THEN 1 ELSE 0 END) OVER (PARTITION BY user_id, session_id) AS undated,
      LAG(job_index) OVER (PARTITION BY user_id, session_id ORDER BY job_index) AS index_before,
      MAX(created_at) OVER (PARTITION BY user_id, session_id ORDER BY job_index ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest_before
    FROM {{ ref('v_questions') }} AS questions
  ) AS beside
) AS placed
