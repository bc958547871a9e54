-- Athena: the tables of an archive. Made by npm run warehouse; do not edit.
-- Put in your own for s3://BUCKET/PREFIX.

-- Athena shows timestamps to the millisecond; the files hold microseconds.
-- It runs one statement at a time.

CREATE DATABASE IF NOT EXISTS jobvault;

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`sessions`
LOCATION 's3://BUCKET/PREFIX/tables/sessions/'
TBLPROPERTIES ('table_type' = 'DELTA');

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`jobs`
LOCATION 's3://BUCKET/PREFIX/tables/jobs/'
TBLPROPERTIES ('table_type' = 'DELTA');

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`blocks`
LOCATION 's3://BUCKET/PREFIX/tables/blocks/'
TBLPROPERTIES ('table_type' = 'DELTA');

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`sources`
LOCATION 's3://BUCKET/PREFIX/tables/sources/'
TBLPROPERTIES ('table_type' = 'DELTA');

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`proposed_questions`
LOCATION 's3://BUCKET/PREFIX/tables/proposed_questions/'
TBLPROPERTIES ('table_type' = 'DELTA');

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`artifacts`
LOCATION 's3://BUCKET/PREFIX/tables/artifacts/'
TBLPROPERTIES ('table_type' = 'DELTA');

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`raw_jobs`
LOCATION 's3://BUCKET/PREFIX/tables/raw_jobs/'
TBLPROPERTIES ('table_type' = 'DELTA');

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`datasets`
LOCATION 's3://BUCKET/PREFIX/tables/datasets/'
TBLPROPERTIES ('table_type' = 'DELTA');

CREATE EXTERNAL TABLE IF NOT EXISTS `jobvault`.`deletions`
LOCATION 's3://BUCKET/PREFIX/tables/deletions/'
TBLPROPERTIES ('table_type' = 'DELTA');
