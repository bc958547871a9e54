-- Snowflake: the tables of an archive. Made by npm run warehouse; do not edit.
-- Put in your own for s3://BUCKET/PREFIX.

-- The external volume jobvault_archive is one of s3://BUCKET/PREFIX; the catalog integration jobvault_delta has
-- CATALOG_SOURCE = OBJECT_STORE and TABLE_FORMAT = DELTA. Make both once, as an administrator.
-- AUTO_REFRESH: without it a table stays as it was when it was made, until ALTER ICEBERG TABLE ... REFRESH.
-- REFRESH_INTERVAL_SECONDS of the integration says how often Snowflake looks for a new version.

CREATE SCHEMA IF NOT EXISTS jobvault;

CREATE ICEBERG TABLE IF NOT EXISTS jobvault.sessions
  EXTERNAL_VOLUME = 'jobvault_archive'
  CATALOG = 'jobvault_delta'
  BASE_LOCATION = 'tables/sessions/'
  AUTO_REFRESH = TRUE;

CREATE ICEBERG TABLE IF NOT EXISTS jobvault.jobs
  EXTERNAL_VOLUME = 'jobvault_archive'
  CATALOG = 'jobvault_delta'
  BASE_LOCATION = 'tables/jobs/'
  AUTO_REFRESH = TRUE;

CREATE ICEBERG TABLE IF NOT EXISTS jobvault.blocks
  EXTERNAL_VOLUME = 'jobvault_archive'
  CATALOG = 'jobvault_delta'
  BASE_LOCATION = 'tables/blocks/'
  AUTO_REFRESH = TRUE;

CREATE ICEBERG TABLE IF NOT EXISTS jobvault.sources
  EXTERNAL_VOLUME = 'jobvault_archive'
  CATALOG = 'jobvault_delta'
  BASE_LOCATION = 'tables/sources/'
  AUTO_REFRESH = TRUE;

CREATE ICEBERG TABLE IF NOT EXISTS jobvault.proposed_questions
  EXTERNAL_VOLUME = 'jobvault_archive'
  CATALOG = 'jobvault_delta'
  BASE_LOCATION = 'tables/proposed_questions/'
  AUTO_REFRESH = TRUE;

CREATE ICEBERG TABLE IF NOT EXISTS jobvault.artifacts
  EXTERNAL_VOLUME = 'jobvault_archive'
  CATALOG = 'jobvault_delta'
  BASE_LOCATION = 'tables/artifacts/'
  AUTO_REFRESH = TRUE;

CREATE ICEBERG TABLE IF NOT EXISTS jobvault.raw_jobs
  EXTERNAL_VOLUME = 'jobvault_archive'
  CATALOG = 'jobvault_delta'
  BASE_LOCATION = 'tables/raw_jobs/'
  AUTO_REFRESH = TRUE;

CREATE ICEBERG TABLE IF NOT EXISTS jobvault.datasets
  EXTERNAL_VOLUME = 'jobvault_archive'
  CATALOG = 'jobvault_delta'
  BASE_LOCATION = 'tables/datasets/'
  AUTO_REFRESH = TRUE;

CREATE ICEBERG TABLE IF NOT EXISTS jobvault.deletions
  EXTERNAL_VOLUME = 'jobvault_archive'
  CATALOG = 'jobvault_delta'
  BASE_LOCATION = 'tables/deletions/'
  AUTO_REFRESH = TRUE;
