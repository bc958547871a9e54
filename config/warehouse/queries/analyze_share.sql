-- How much of each user's answers is analysis, each spelling of an id by itself: blocks of the stage Analyze among all blocks with a stage.
SELECT
  user_id,
  SUM(block_count) AS blocks,
  SUM(CASE WHEN stage = 'Analyze' THEN block_count ELSE 0 END) AS analyze_blocks,
  1.0 * SUM(CASE WHEN stage = 'Analyze' THEN block_count ELSE 0 END) / SUM(block_count) AS analyze_share
FROM current_stages
GROUP BY 1
ORDER BY 1
