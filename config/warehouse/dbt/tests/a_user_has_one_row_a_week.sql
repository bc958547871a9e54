-- A user has one row a week, and one for the questions whose week nothing tells. No test of a model: what makes a text of a
-- date is not the same in every warehouse.
SELECT user_id, week
FROM {{ ref('questions_per_user_and_week') }}
GROUP BY user_id, week
HAVING COUNT(*) > 1
