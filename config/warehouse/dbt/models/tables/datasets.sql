{{ config(
    materialized='incremental',
    incremental_strategy='append',
    post_hook="DELETE FROM {{ this }} AS loaded WHERE NOT EXISTS (SELECT 1 FROM {{ source('jobvault', 'datasets') }} AS archived WHERE loaded.dataset_id = archived.dataset_id AND loaded.run_id = archived.run_id)"
) }}
-- The datasets that a user sees; with export --with-datasets, as the archive has them now. A row is never changed: it comes and, by an erasure, goes.
SELECT archived.*
FROM {{ source('jobvault', 'datasets') }} AS archived
{% if is_incremental() %}
WHERE NOT EXISTS (
  SELECT 1 FROM {{ this }} AS loaded WHERE loaded.dataset_id = archived.dataset_id AND loaded.run_id = archived.run_id
)
{% endif %}
