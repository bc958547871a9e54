{# The first day of a time's month as a date, in UTC whatever the time zone of the session. #}
{% macro utc_month(time) %}{{ adapter.dispatch('utc_month', 'jobvault')(time) }}{% endmacro %}

{# DuckDB, Athena, Postgres #}
{% macro default__utc_month(time) %}CAST(date_trunc('month', {{ time }} AT TIME ZONE 'UTC') AS DATE){% endmacro %}

{% macro bigquery__utc_month(time) %}DATE_TRUNC(DATE({{ time }}, 'UTC'), MONTH){% endmacro %}

{% macro snowflake__utc_month(time) %}DATE_TRUNC('month', TO_DATE(CONVERT_TIMEZONE('UTC', {{ time }}))){% endmacro %}

{# Databricks, too #}
{% macro spark__utc_month(time) %}CAST(date_trunc('MONTH', to_utc_timestamp({{ time }}, current_timezone())) AS DATE){% endmacro %}
