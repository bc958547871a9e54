-- One row for each question that another of its conversation followed within an hour: seconds until then; only questions whose ids tell their times count, none where a question without a time may have come in between, as asked_after and asked_before of v_questions say, and none that has the time of the next, as those of a day in a pseudonymised copy without --keep-times.
SELECT
  person AS user_id,
  team,
  session_id,
  job_id,
  {{ utc_monday('created_at') }} AS week,
  next_at,
  {{ epoch_seconds('next_at') }} - {{ epoch_seconds('created_at') }} AS seconds
FROM (
  SELECT
    questions.*,
    LEAD(created_at) OVER (PARTITION BY user_id, session_id ORDER BY created_at, job_index, job_id) AS next_at
  FROM {{ ref('v_questions') }} AS questions
  WHERE created_at IS NOT NULL
) AS paired
WHERE next_at > created_at
  AND {{ epoch_seconds('next_at') }} - {{ epoch_seconds('created_at') }} < 3600
  AND NOT EXISTS (
    SELECT 1
    FROM {{ ref('v_questions') }} AS undated
    WHERE undated.user_id = paired.user_id
      AND undated.session_id = paired.session_id
      AND undated.created_at IS NULL
      AND (undated.asked_after IS NULL OR undated.asked_after < paired.next_at)
      AND (undated.asked_before IS NULL OR undated.asked_before > paired.created_at)
  )
