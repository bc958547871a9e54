-- BigQuery: the tables of an archive. Made by npm run warehouse; do not edit.
-- Put in your own for gs://BUCKET/PREFIX.

-- The connection is one that may read the bucket; make it once, and put in its name for PROJECT.REGION.NAME.

CREATE SCHEMA IF NOT EXISTS jobvault;

CREATE EXTERNAL TABLE IF NOT EXISTS jobvault.`sessions`
WITH CONNECTION `PROJECT.REGION.NAME`
OPTIONS (format = 'DELTA_LAKE', uris = ['gs://BUCKET/PREFIX/tables/sessions']);

CREATE EXTERNAL TABLE IF NOT EXISTS jobvault.`jobs`
WITH CONNECTION `PROJECT.REGION.NAME`
OPTIONS (format = 'DELTA_LAKE', uris = ['gs://BUCKET/PREFIX/tables/jobs']);

CREATE EXTERNAL TABLE IF NOT EXISTS jobvault.`blocks`
WITH CONNECTION `PROJECT.REGION.NAME`
OPTIONS (format = 'DELTA_LAKE', uris = ['gs://BUCKET/PREFIX/tables/blocks']);

CREATE EXTERNAL TABLE IF NOT EXISTS jobvault.`sources`
WITH CONNECTION `PROJECT.REGION.NAME`
OPTIONS (format = 'DELTA_LAKE', uris = ['gs://BUCKET/PREFIX/tables/sources']);

CREATE EXTERNAL TABLE IF NOT EXISTS jobvault.`proposed_questions`
WITH CONNECTION `PROJECT.REGION.NAME`
OPTIONS (format = 'DELTA_LAKE', uris = ['gs://BUCKET/PREFIX/tables/proposed_questions']);

CREATE EXTERNAL TABLE IF NOT EXISTS jobvault.`artifacts`
WITH CONNECTION `PROJECT.REGION.NAME`
OPTIONS (format = 'DELTA_LAKE', uris = ['gs://BUCKET/PREFIX/tables/artifacts']);

CREATE EXTERNAL TABLE IF NOT EXISTS jobvault.`raw_jobs`
WITH CONNECTION `PROJECT.REGION.NAME`
OPTIONS (format = 'DELTA_LAKE', uris = ['gs://BUCKET/PREFIX/tables/raw_jobs']);

CREATE EXTERNAL TABLE IF NOT EXISTS jobvault.`datasets`
WITH CONNECTION `PROJECT.REGION.NAME`
OPTIONS (format = 'DELTA_LAKE', uris = ['gs://BUCKET/PREFIX/tables/datasets']);

CREATE EXTERNAL TABLE IF NOT EXISTS jobvault.`deletions`
WITH CONNECTION `PROJECT.REGION.NAME`
OPTIONS (format = 'DELTA_LAKE', uris = ['gs://BUCKET/PREFIX/tables/deletions']);
