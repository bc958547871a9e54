-- Users with their person and, of the users file, their team: dbt build --vars "{team: NAME}".
SELECT
  user_id,
  person,
  CAST({{ var('team', 'NULL') }} AS {{ dbt.type_string() }}) AS team,
  first_seen_at,
  last_seen_at
FROM {{ source('jobvault', 'users') }}
