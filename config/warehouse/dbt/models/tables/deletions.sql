{{ config(
    materialized='incremental',
    incremental_strategy='append',
    post_hook="DELETE FROM {{ this }} AS loaded WHERE NOT EXISTS (SELECT 1 FROM {{ source('jobvault', 'deletions') }} AS archived WHERE loaded.user_id = archived.user_id AND loaded.session_id = archived.session_id AND loaded.run_id = archived.run_id)"
) }}
-- Sessions deleted from the service after they were archived, as the archive has them now. A row is never changed: it comes and, by an erasure, goes.
SELECT archived.*
FROM {{ source('jobvault', 'deletions') }} AS archived
{% if is_incremental() %}
WHERE NOT EXISTS (
  SELECT 1 FROM {{ this }} AS loaded WHERE loaded.user_id = archived.user_id AND loaded.session_id = archived.session_id AND loaded.run_id = archived.run_id
)
{% endif %}
