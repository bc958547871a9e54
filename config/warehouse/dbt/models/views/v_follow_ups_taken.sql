-- One row for each user and month: questions after which others were proposed, after how many a proposed one was asked next, word for word, and of how many the order is unknown; proposals_taken is null where the order or the texts of none are known.
SELECT
  person AS user_id,
  team,
  month,
  COUNT(*) AS questions_with_proposals,
  SUM(CASE WHEN is_ordered AND is_taken = 1 THEN 1 WHEN is_ordered AND is_known = 1 THEN 0 END) AS proposals_taken,
  SUM(CASE WHEN is_ordered THEN 0 ELSE 1 END) AS order_unknown
FROM (
  SELECT
    asked.person,
    asked.team,
    asked.session_id,
    asked.job_id,
    asked.month,
    asked.is_ordered,
    MAX(CASE WHEN proposed.question IS NOT NULL THEN 1 ELSE 0 END) AS is_known,
    MAX(CASE WHEN TRIM(proposed.question) = TRIM(asked.next_question) THEN 1 ELSE 0 END) AS is_taken
  FROM {{ ref('v_questions_in_order') }} AS asked
  JOIN {{ ref('current_proposed_questions') }} AS proposed
    ON proposed.user_id = asked.user_id AND proposed.session_id = asked.session_id AND proposed.job_id = asked.job_id
  GROUP BY asked.user_id, asked.person, asked.team, asked.session_id, asked.job_id, asked.month, asked.is_ordered
) AS offered
GROUP BY person, team, month
