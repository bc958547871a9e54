-- Every dataset as the newest export saw it.
SELECT dataset_id, name, description, summary, keywords, exploration_questions, synched_count, invalid_count, synching_count, extra_json, run_id, exported_at, dt
FROM (
  SELECT
    rows_of.*,
    ROW_NUMBER() OVER (PARTITION BY dataset_id ORDER BY exported_at DESC, run_id DESC) AS place
  FROM {{ ref('datasets') }} AS rows_of
) AS ranked
WHERE place = 1
