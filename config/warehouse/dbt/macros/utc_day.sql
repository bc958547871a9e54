{# The day of a time, in UTC whatever the time zone of the session. #}
{% macro utc_day(time) %}{{ adapter.dispatch('utc_day', 'jobvault')(time) }}{% endmacro %}

{# DuckDB, Athena, Postgres #}
{% macro default__utc_day(time) %}CAST({{ time }} AT TIME ZONE 'UTC' AS DATE){% endmacro %}

{% macro bigquery__utc_day(time) %}DATE({{ time }}, 'UTC'){% endmacro %}

{% macro snowflake__utc_day(time) %}TO_DATE(CONVERT_TIMEZONE('UTC', {{ time }})){% endmacro %}

{# Databricks, too #}
{% macro spark__utc_day(time) %}CAST(to_utc_timestamp({{ time }}, current_timezone()) AS DATE){% endmacro %}
