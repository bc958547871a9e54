{# The Monday of a time's week as a date, in UTC whatever the time zone of the session. #}
{% macro utc_monday(time) %}{{ adapter.dispatch('utc_monday', 'jobvault')(time) }}{% endmacro %}

{# DuckDB, Athena, Postgres #}
{% macro default__utc_monday(time) %}CAST(date_trunc('week', {{ time }} AT TIME ZONE 'UTC') AS DATE){% endmacro %}

{% macro bigquery__utc_monday(time) %}DATE_TRUNC(DATE({{ time }}, 'UTC'), ISOWEEK){% endmacro %}

{# DATE_TRUNC of a week follows WEEK_START of the session #}
{% macro snowflake__utc_monday(time) %}DATEADD(day, 1 - DAYOFWEEKISO(CONVERT_TIMEZONE('UTC', {{ time }})), TO_DATE(CONVERT_TIMEZONE('UTC', {{ time }}))){% endmacro %}

{# Databricks, too #}
{% macro spark__utc_monday(time) %}CAST(date_trunc('WEEK', to_utc_timestamp({{ time }}, current_timezone())) AS DATE){% endmacro %}
