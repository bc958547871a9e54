-- One row for each user and month with a dated question: how many, whether it is the first month of the user, and whether only questions without a time of their own are in it.
SELECT
  person AS user_id,
  team,
  month,
  questions,
  CASE WHEN month = MIN(month) OVER (PARTITION BY person) THEN 1 ELSE 0 END AS is_new,
  is_undated
FROM (
  SELECT person, team, month, COUNT(*) AS questions, MIN(CASE WHEN created_at IS NULL THEN 1 ELSE 0 END) AS is_undated
  FROM {{ ref('v_questions') }}
  WHERE month IS NOT NULL
  GROUP BY person, team, month
) AS asked
