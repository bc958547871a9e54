{# The day before that of a time, in UTC whatever the time zone of the session. #}
{% macro utc_day_before(time) %}{{ adapter.dispatch('utc_day_before', 'jobvault')(time) }}{% endmacro %}

{# DuckDB, Athena, Postgres #}
{% macro default__utc_day_before(time) %}(CAST({{ time }} AT TIME ZONE 'UTC' AS DATE) - INTERVAL '1' DAY){% endmacro %}

{% macro bigquery__utc_day_before(time) %}DATE_SUB(DATE({{ time }}, 'UTC'), INTERVAL 1 DAY){% endmacro %}

{% macro snowflake__utc_day_before(time) %}DATEADD(day, -1, TO_DATE(CONVERT_TIMEZONE('UTC', {{ time }}))){% endmacro %}

{# Databricks, too #}
{% macro spark__utc_day_before(time) %}DATE_SUB(CAST(to_utc_timestamp({{ time }}, current_timezone()) AS DATE), 1){% endmacro %}
