-- Databricks: the tables of an archive. Made by npm run warehouse; do not edit.
-- Put in your own for s3://BUCKET/PREFIX.

CREATE SCHEMA IF NOT EXISTS jobvault;

CREATE TABLE IF NOT EXISTS jobvault.`sessions`
USING DELTA
LOCATION 's3://BUCKET/PREFIX/tables/sessions';

CREATE TABLE IF NOT EXISTS jobvault.`jobs`
USING DELTA
LOCATION 's3://BUCKET/PREFIX/tables/jobs';

CREATE TABLE IF NOT EXISTS jobvault.`blocks`
USING DELTA
LOCATION 's3://BUCKET/PREFIX/tables/blocks';

CREATE TABLE IF NOT EXISTS jobvault.`sources`
USING DELTA
LOCATION 's3://BUCKET/PREFIX/tables/sources';

CREATE TABLE IF NOT EXISTS jobvault.`proposed_questions`
USING DELTA
LOCATION 's3://BUCKET/PREFIX/tables/proposed_questions';

CREATE TABLE IF NOT EXISTS jobvault.`artifacts`
USING DELTA
LOCATION 's3://BUCKET/PREFIX/tables/artifacts';

CREATE TABLE IF NOT EXISTS jobvault.`raw_jobs`
USING DELTA
LOCATION 's3://BUCKET/PREFIX/tables/raw_jobs';

CREATE TABLE IF NOT EXISTS jobvault.`datasets`
USING DELTA
LOCATION 's3://BUCKET/PREFIX/tables/datasets';

CREATE TABLE IF NOT EXISTS jobvault.`deletions`
USING DELTA
LOCATION 's3://BUCKET/PREFIX/tables/deletions';
