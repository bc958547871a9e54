-- DuckDB: loads what has changed in an archive. Made by npm run warehouse; do not edit.

-- Needs changes.jsonl and, printed after it, the views of the archive:
--   jobvault changes ARCHIVE --since CURSOR > changes.jsonl
--   jobvault query ARCHIVE --views > views.sql
-- The next CURSOR is in jobvault.loaded; the first is 0.
-- The rows of each key are deleted before those of the archive are inserted: what was erased and archived again
-- comes back under the key that it had.

BEGIN;

-- Nothing is loaded if the views of the archive were not printed, or have other columns than the tables.
SELECT CASE WHEN count(*) > 0 THEN error('not as jobvault query --views prints it: ' || string_agg(DISTINCT name, ', ')) END AS whole
FROM (
  SELECT table_name AS name FROM duckdb_columns()
  WHERE table_name IN ('sessions', 'jobs', 'blocks', 'sources', 'proposed_questions', 'artifacts', 'raw_jobs', 'datasets', 'deletions')
    AND (database_name = 'temp' OR (database_name = current_database() AND schema_name = 'jobvault' AND column_name <> 'dt'))
  GROUP BY table_name, column_name HAVING count(*) <> 2
  UNION ALL
  SELECT name FROM (SELECT unnest(['sessions', 'jobs', 'blocks', 'sources', 'proposed_questions', 'artifacts', 'raw_jobs', 'datasets', 'deletions', 'users', 'runs', 'sessions_listed_again', 'accepted_losses']) AS name)
  WHERE name NOT IN (SELECT view_name FROM duckdb_views() WHERE database_name = 'temp')
);

CREATE OR REPLACE TEMP TABLE changes AS
FROM read_json('changes.jsonl', columns = {
  "commit": 'BIGINT', "at": 'TIMESTAMPTZ', change: 'VARCHAR', "table": 'VARCHAR', user_id: 'VARCHAR', session_id: 'VARCHAR',
  session_version: 'INTEGER', job_id: 'VARCHAR', job_version: 'INTEGER', archive_id: 'VARCHAR'
});
SELECT CASE WHEN count(*) = 0 THEN error('changes.jsonl has no cursor: it is not whole') END AS whole
FROM changes WHERE change = 'cursor';
SELECT CASE WHEN max("commit") > (SELECT coalesce(max(last_commit), 0) FROM temp.runs)
  THEN error('the views were printed before the changes: print them again') END AS reached
FROM changes WHERE change = 'cursor';
CREATE OR REPLACE TEMP TABLE changed AS FROM changes
WHERE change IN ('added', 'changed', 'withdrawn') OR "table" = 'deletions';

DELETE FROM jobvault."sessions"
WHERE (user_id, session_id, session_version) IN (SELECT (user_id, session_id, session_version) FROM changed WHERE "table" = 'sessions')
  OR (EXISTS (FROM changes WHERE change = 'erased')
    AND (user_id, session_id, session_version) NOT IN (SELECT (user_id, session_id, session_version) FROM temp."sessions"));
INSERT INTO jobvault."sessions" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM temp."sessions"
WHERE (user_id, session_id, session_version) IN (SELECT (user_id, session_id, session_version) FROM changed WHERE "table" = 'sessions');

DELETE FROM jobvault."jobs"
WHERE (user_id, session_id, job_id, job_version) IN (SELECT (user_id, session_id, job_id, job_version) FROM changed WHERE "table" = 'jobs')
  OR (EXISTS (FROM changes WHERE change = 'erased')
    AND (user_id, session_id, job_id, job_version) NOT IN (SELECT (user_id, session_id, job_id, job_version) FROM temp."jobs"));
INSERT INTO jobvault."jobs" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM temp."jobs"
WHERE (user_id, session_id, job_id, job_version) IN (SELECT (user_id, session_id, job_id, job_version) FROM changed WHERE "table" = 'jobs');

DELETE FROM jobvault."blocks"
WHERE (user_id, session_id, job_id, job_version) IN (SELECT (user_id, session_id, job_id, job_version) FROM changed WHERE "table" = 'jobs')
  OR (EXISTS (FROM changes WHERE change = 'erased')
    AND (user_id, session_id, job_id, job_version) NOT IN (SELECT (user_id, session_id, job_id, job_version) FROM temp."blocks"));
INSERT INTO jobvault."blocks" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM temp."blocks"
WHERE (user_id, session_id, job_id, job_version) IN (SELECT (user_id, session_id, job_id, job_version) FROM changed WHERE "table" = 'jobs');

DELETE FROM jobvault."sources"
WHERE (user_id, session_id, job_id, job_version) IN (SELECT (user_id, session_id, job_id, job_version) FROM changed WHERE "table" = 'jobs')
  OR (EXISTS (FROM changes WHERE change = 'erased')
    AND (user_id, session_id, job_id, job_version) NOT IN (SELECT (user_id, session_id, job_id, job_version) FROM temp."sources"));
INSERT INTO jobvault."sources" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM temp."sources"
WHERE (user_id, session_id, job_id, job_version) IN (SELECT (user_id, session_id, job_id, job_version) FROM changed WHERE "table" = 'jobs');

DELETE FROM jobvault."proposed_questions"
WHERE (user_id, session_id, job_id, job_version) IN (SELECT (user_id, session_id, job_id, job_version) FROM changed WHERE "table" = 'jobs')
  OR (EXISTS (FROM changes WHERE change = 'erased')
    AND (user_id, session_id, job_id, job_version) NOT IN (SELECT (user_id, session_id, job_id, job_version) FROM temp."proposed_questions"));
INSERT INTO jobvault."proposed_questions" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM temp."proposed_questions"
WHERE (user_id, session_id, job_id, job_version) IN (SELECT (user_id, session_id, job_id, job_version) FROM changed WHERE "table" = 'jobs');

DELETE FROM jobvault."artifacts"
WHERE (user_id, session_id, job_id, job_version) IN (SELECT (user_id, session_id, job_id, job_version) FROM changed WHERE "table" = 'jobs')
  OR (EXISTS (FROM changes WHERE change = 'erased')
    AND (user_id, session_id, job_id, job_version) NOT IN (SELECT (user_id, session_id, job_id, job_version) FROM temp."artifacts"));
INSERT INTO jobvault."artifacts" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM temp."artifacts"
WHERE (user_id, session_id, job_id, job_version) IN (SELECT (user_id, session_id, job_id, job_version) FROM changed WHERE "table" = 'jobs');

DELETE FROM jobvault."raw_jobs"
WHERE (user_id, session_id, job_id, job_version) IN (SELECT (user_id, session_id, job_id, job_version) FROM changed WHERE "table" = 'jobs')
  OR (EXISTS (FROM changes WHERE change = 'erased')
    AND (user_id, session_id, job_id, job_version) NOT IN (SELECT (user_id, session_id, job_id, job_version) FROM temp."raw_jobs"));
INSERT INTO jobvault."raw_jobs" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM temp."raw_jobs"
WHERE (user_id, session_id, job_id, job_version) IN (SELECT (user_id, session_id, job_id, job_version) FROM changed WHERE "table" = 'jobs');

DELETE FROM jobvault."datasets" WHERE EXISTS (FROM changed WHERE "table" = 'datasets');
INSERT INTO jobvault."datasets" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM temp."datasets"
WHERE EXISTS (FROM changed WHERE "table" = 'datasets');

DELETE FROM jobvault."deletions"
WHERE (user_id, session_id) IN (SELECT (user_id, session_id) FROM changed WHERE "table" = 'deletions')
  OR (EXISTS (FROM changes WHERE change = 'erased')
    AND (user_id, session_id) NOT IN (SELECT (user_id, session_id) FROM temp."deletions"));
INSERT INTO jobvault."deletions" BY NAME
SELECT *, CAST(exported_at AT TIME ZONE 'UTC' AS DATE) AS dt FROM temp."deletions"
WHERE (user_id, session_id) IN (SELECT (user_id, session_id) FROM changed WHERE "table" = 'deletions');

CREATE OR REPLACE TABLE jobvault.users AS FROM temp.users;
COMMENT ON COLUMN jobvault.users.user_id IS 'The user, as exports asked for it, or as the users file has it';
COMMENT ON COLUMN jobvault.users.person IS 'The same for all spellings of a user that list the same session: the one that an export has listed last; count(DISTINCT person) counts people; a pseudonymised copy has it as of when it was made';
COMMENT ON COLUMN jobvault.users.first_seen_at IS 'When the export began that first read the user; null of a user whom no export has read, and in a pseudonymised copy, which does not know';
COMMENT ON COLUMN jobvault.users.last_seen_at IS 'When an export last listed the sessions of the user to their end; null of a user of whom none has; in a pseudonymised copy the day (UTC)';
COMMENT ON COLUMN jobvault.users.is_in_users_file IS 'Whether the users file has the user, however spelt; null where no users file was given';

CREATE OR REPLACE TABLE jobvault.runs AS FROM temp.runs;
COMMENT ON COLUMN jobvault.runs.run_id IS 'The run, as run_id of the rows that it wrote';
COMMENT ON COLUMN jobvault.runs.kind IS 'export, prune, compact, erase, hold, ...';
COMMENT ON COLUMN jobvault.runs.began_at IS 'When it began: of what it has read whole, all is here that was asked before then; of the one run of a pseudonymised copy, when the copy was made';
COMMENT ON COLUMN jobvault.runs.ended_at IS 'When its last commit was made';
COMMENT ON COLUMN jobvault.runs.scope IS 'Whom an export was for: all (with --shard, all users of the shard), named users, or part of them (some sessions, a search, what has gaps); null of other kinds';
COMMENT ON COLUMN jobvault.runs.shard IS 'The shard of all users that an export was for (3/16); null without --shard';
COMMENT ON COLUMN jobvault.runs.queued_run IS 'The run of a fleet that an export is a part of, by its name (enqueue --run): each worker has a row of its own, and so has the end of the run; null of others';
COMMENT ON COLUMN jobvault.runs.is_complete IS 'Whether an export has read everybody it was to read, and nothing is missing, not even by decision, nor of somebody whom it does not read; null where its commits do not say that, as those of an export of part of what users have, or do so no more after the erasure of a user';
COMMENT ON COLUMN jobvault.runs.outcome IS 'complete, incomplete-by-decision, gaps, not_all_read or doubtful_list, as the summary of an export says it; of a run that failed or died after it saved something, not_all_read; null as is_complete. An export of everybody has gaps, too, where somebody whom it does not read has an open one, as one who left the list';
COMMENT ON COLUMN jobvault.runs.first_commit IS 'The number of its first commit';
COMMENT ON COLUMN jobvault.runs.last_commit IS 'The number of its last commit';
COMMENT ON COLUMN jobvault.runs.jobs IS 'Versions of questions that it wrote; of a session that two spellings of a user list, under each';

CREATE OR REPLACE TABLE jobvault.sessions_listed_again AS FROM temp.sessions_listed_again;
COMMENT ON COLUMN jobvault.sessions_listed_again.user_id IS 'The user, as the export asked for it: the service may take another spelling for the same';
COMMENT ON COLUMN jobvault.sessions_listed_again.session_id IS 'The conversation';
COMMENT ON COLUMN jobvault.sessions_listed_again.counts_for IS 'The spelling for which the session counts: the one that still lists it, of several the one that the newest run has listed to the end, of one run where it has more questions or was read whole, else the first in the alphabet';

CREATE OR REPLACE TABLE jobvault.accepted_losses AS FROM temp.accepted_losses;
COMMENT ON COLUMN jobvault.accepted_losses.user_id IS 'The user, as the export asked for it: the service may take another spelling for the same';
COMMENT ON COLUMN jobvault.accepted_losses.session_id IS 'The conversation';
COMMENT ON COLUMN jobvault.accepted_losses.job_id IS 'The question with its answer';
COMMENT ON COLUMN jobvault.accepted_losses.role IS 'question or answer; record for a file outside of both';
COMMENT ON COLUMN jobvault.accepted_losses.block_index IS 'Position among the blocks, from 0';
COMMENT ON COLUMN jobvault.accepted_losses.file_index IS 'Position among the files of the block, from 0';

CREATE TABLE IF NOT EXISTS jobvault.loaded (cursor VARCHAR NOT NULL);
COMMENT ON COLUMN jobvault.loaded.cursor IS 'The next --since of jobvault changes';
DELETE FROM jobvault.loaded;
INSERT INTO jobvault.loaded SELECT archive_id || ':' || "commit" FROM changes WHERE change = 'cursor';

COMMIT;
