{# Seconds from the beginning of 1970 to a time. #}
{% macro epoch_seconds(time) %}{{ adapter.dispatch('epoch_seconds', 'jobvault')(time) }}{% endmacro %}

{# DuckDB, Postgres #}
{% macro default__epoch_seconds(time) %}EXTRACT(EPOCH FROM {{ time }}){% endmacro %}

{% macro athena__epoch_seconds(time) %}to_unixtime({{ time }}){% endmacro %}

{% macro bigquery__epoch_seconds(time) %}(UNIX_MICROS({{ time }}) / 1000000){% endmacro %}

{% macro snowflake__epoch_seconds(time) %}(DATE_PART(epoch_millisecond, {{ time }}) / 1000){% endmacro %}

{# Databricks, too #}
{% macro spark__epoch_seconds(time) %}(unix_millis({{ time }}) / 1000){% endmacro %}
