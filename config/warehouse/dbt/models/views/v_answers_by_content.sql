-- One row for each user and month: how many answers have a table, an image, code, sources, or words alone.
SELECT
  person AS user_id,
  team,
  month,
  COUNT(*) AS questions,
  SUM(CASE WHEN has_table THEN 1 ELSE 0 END) AS with_table,
  SUM(CASE WHEN has_image THEN 1 ELSE 0 END) AS with_image,
  SUM(CASE WHEN has_code THEN 1 ELSE 0 END) AS with_code,
  SUM(CASE WHEN source_count > 0 THEN 1 ELSE 0 END) AS with_sources,
  SUM(CASE WHEN is_answered AND NOT has_table AND NOT has_image AND NOT has_code THEN 1 ELSE 0 END) AS words_alone,
  SUM(CASE WHEN created_at IS NULL THEN 1 ELSE 0 END) AS undated
FROM {{ ref('v_questions') }}
GROUP BY person, team, month
