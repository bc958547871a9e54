-- One row for each user and month with a dated question: how many, and whether it is the first month of the user.
SELECT
  person AS user_id,
  team,
  month,
  questions,
  CASE WHEN month = MIN(month) OVER (PARTITION BY person) THEN 1 ELSE 0 END AS is_new
FROM (
  SELECT person, team, month, COUNT(*) AS questions
  FROM {{ ref('v_questions') }}
  WHERE month IS NOT NULL
  GROUP BY person, team, month
) AS asked
