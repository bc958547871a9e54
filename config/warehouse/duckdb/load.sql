-- DuckDB: fills the tables from an archive. Made by npm run warehouse; do not edit.

-- Needs the views of the archive: jobvault query ARCHIVE --views, run before this.
-- Everything is replaced, so that what was compacted or erased is right as well.

BEGIN;

DELETE FROM jobvault."sessions";
INSERT INTO jobvault."sessions" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM main."sessions";

DELETE FROM jobvault."jobs";
INSERT INTO jobvault."jobs" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM main."jobs";

DELETE FROM jobvault."blocks";
INSERT INTO jobvault."blocks" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM main."blocks";

DELETE FROM jobvault."sources";
INSERT INTO jobvault."sources" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM main."sources";

DELETE FROM jobvault."proposed_questions";
INSERT INTO jobvault."proposed_questions" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM main."proposed_questions";

DELETE FROM jobvault."artifacts";
INSERT INTO jobvault."artifacts" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM main."artifacts";

DELETE FROM jobvault."raw_jobs";
INSERT INTO jobvault."raw_jobs" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM main."raw_jobs";

DELETE FROM jobvault."datasets";
INSERT INTO jobvault."datasets" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM main."datasets";

DELETE FROM jobvault."deletions";
INSERT INTO jobvault."deletions" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM main."deletions";

COMMIT;
