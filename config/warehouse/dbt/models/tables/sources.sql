{{ config(
    materialized='incremental',
    incremental_strategy='append',
    post_hook="DELETE FROM {{ this }} AS loaded WHERE NOT EXISTS (SELECT 1 FROM {{ source('jobvault', 'sources') }} AS archived WHERE loaded.user_id = archived.user_id AND loaded.session_id = archived.session_id AND loaded.job_id = archived.job_id AND loaded.job_version = archived.job_version AND loaded.block_index = archived.block_index AND loaded.source_index = archived.source_index AND loaded.run_id = archived.run_id)"
) }}
-- The data that an answer is based on, as the archive has them now. A row is never changed: it comes and, by an erasure, goes.
SELECT archived.*
FROM {{ source('jobvault', 'sources') }} AS archived
{% if is_incremental() %}
WHERE NOT EXISTS (
  SELECT 1 FROM {{ this }} AS loaded WHERE loaded.user_id = archived.user_id AND loaded.session_id = archived.session_id AND loaded.job_id = archived.job_id AND loaded.job_version = archived.job_version AND loaded.block_index = archived.block_index AND loaded.source_index = archived.source_index AND loaded.run_id = archived.run_id
)
{% endif %}
