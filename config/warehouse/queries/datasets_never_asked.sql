-- Datasets that no answer has rested on. Needs an export --with-datasets.
SELECT
  datasets.dataset_id,
  datasets.name,
  datasets.synched_count,
  datasets.exported_at AS last_seen_at
FROM current_datasets AS datasets
LEFT JOIN (
  SELECT DISTINCT dataset_id
  FROM current_sources
) AS asked
  ON asked.dataset_id = datasets.dataset_id
WHERE asked.dataset_id IS NULL
ORDER BY 2, 1
