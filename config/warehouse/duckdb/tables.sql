-- DuckDB: the tables of an archive. Made by npm run warehouse; do not edit.

CREATE SCHEMA IF NOT EXISTS jobvault;

CREATE TABLE IF NOT EXISTS jobvault."sessions" (
  "user_id" VARCHAR NOT NULL,
  "session_id" VARCHAR NOT NULL,
  "session_version" INTEGER NOT NULL,
  "name" VARCHAR,
  "output_language" VARCHAR,
  "job_mode" VARCHAR,
  "max_contextual_job_history" INTEGER,
  "agent_id" VARCHAR,
  "job_count" INTEGER,
  "is_complete" BOOLEAN,
  "extra_json" VARCHAR,
  "created_at" TIMESTAMPTZ,
  "created_at_source" VARCHAR,
  "created_after" TIMESTAMPTZ,
  "created_before" TIMESTAMPTZ,
  "run_id" VARCHAR,
  "exported_at" TIMESTAMPTZ,
  dt DATE NOT NULL
);
COMMENT ON TABLE jobvault."sessions" IS 'Conversations; one row per version';
COMMENT ON COLUMN jobvault."sessions"."user_id" IS 'The user, as the export asked for it: the service may take another spelling for the same';
COMMENT ON COLUMN jobvault."sessions"."session_id" IS 'The conversation';
COMMENT ON COLUMN jobvault."sessions"."session_version" IS 'From 1; increases each time the session is written again';
COMMENT ON COLUMN jobvault."sessions"."name" IS 'The name in the service';
COMMENT ON COLUMN jobvault."sessions"."output_language" IS 'The language of answers: EN, DE, ...';
COMMENT ON COLUMN jobvault."sessions"."job_mode" IS 'How answers are made: AUTO, ...';
COMMENT ON COLUMN jobvault."sessions"."max_contextual_job_history" IS 'How many earlier jobs an answer takes into account';
COMMENT ON COLUMN jobvault."sessions"."agent_id" IS 'The agent that answers';
COMMENT ON COLUMN jobvault."sessions"."job_count" IS 'Number of archived jobs';
COMMENT ON COLUMN jobvault."sessions"."is_complete" IS 'Whether its history was read to its end when the row was written; lost files (table artifacts, view v_lost_files) and later runs do not count: jobvault status --user has the state of each session now';
COMMENT ON COLUMN jobvault."sessions"."extra_json" IS 'Fields of the record beyond these columns, as JSON';
COMMENT ON COLUMN jobvault."sessions"."created_at" IS 'Creation time in the id; null if the id contains no time';
COMMENT ON COLUMN jobvault."sessions"."created_at_source" IS 'The kind of that id: cuid, uuid7 or ulid';
COMMENT ON COLUMN jobvault."sessions"."created_after" IS 'Lower bound of the creation time: created_at, else the time of the previous job, as known when the row was written; in a copy both bounds are those of v_questions of its archive';
COMMENT ON COLUMN jobvault."sessions"."created_before" IS 'Upper bound of the creation time: created_at, else the time of the next job, as known when the row was written. The views v_* go by v_questions, which has the jobs beside it as they are now';
COMMENT ON COLUMN jobvault."sessions"."run_id" IS 'The export that wrote the row';
COMMENT ON COLUMN jobvault."sessions"."exported_at" IS 'When that export began to read, which is a little later than began_at of runs; in a pseudonymised copy the end of that day (UTC)';
COMMENT ON COLUMN jobvault."sessions".dt IS 'UTC day of the export; where compact has merged its month, the first of that';

CREATE TABLE IF NOT EXISTS jobvault."jobs" (
  "user_id" VARCHAR NOT NULL,
  "session_id" VARCHAR NOT NULL,
  "job_id" VARCHAR NOT NULL,
  "job_version" INTEGER NOT NULL,
  "job_index" INTEGER,
  "question_text" VARCHAR,
  "answer_text" VARCHAR,
  "is_settled" BOOLEAN,
  "is_withdrawn" BOOLEAN,
  "question_block_count" INTEGER,
  "answer_block_count" INTEGER,
  "analyze_block_count" INTEGER,
  "respond_block_count" INTEGER,
  "artifact_count" INTEGER,
  "source_count" INTEGER,
  "content_hash" VARCHAR,
  "created_at" TIMESTAMPTZ,
  "created_at_source" VARCHAR,
  "created_after" TIMESTAMPTZ,
  "created_before" TIMESTAMPTZ,
  "run_id" VARCHAR,
  "exported_at" TIMESTAMPTZ,
  dt DATE NOT NULL
);
COMMENT ON TABLE jobvault."jobs" IS 'Questions and their answers; one row per version';
COMMENT ON COLUMN jobvault."jobs"."user_id" IS 'The user, as the export asked for it: the service may take another spelling for the same';
COMMENT ON COLUMN jobvault."jobs"."session_id" IS 'The conversation';
COMMENT ON COLUMN jobvault."jobs"."job_id" IS 'The question with its answer';
COMMENT ON COLUMN jobvault."jobs"."job_version" IS 'From 1; increases each time the job is written again: it has changed, or only its files have (a doubt that came or ended, a lost file that is stored now); only a change gives another content_hash in jobs';
COMMENT ON COLUMN jobvault."jobs"."job_index" IS 'Its place when it was first archived, from 0, which never changes: from the oldest where times in ids showed the order, else as the service listed it; what came later is after all that were there. Sort by created_at, job_index, job_id';
COMMENT ON COLUMN jobvault."jobs"."question_text" IS 'The question';
COMMENT ON COLUMN jobvault."jobs"."answer_text" IS 'The messages of the stage Respond, with captions of tables and images, separated by blank lines';
COMMENT ON COLUMN jobvault."jobs"."is_settled" IS 'Whether the answer was not expected to change any more when the row was written; later runs settle an unchanged job in the log alone: jobvault status --user lists those that may still change';
COMMENT ON COLUMN jobvault."jobs"."is_withdrawn" IS 'Whether the service shows the job in another session: this last version takes it out of this one, the views current_* leave it out, and all columns but the ids and times are null. An earlier answer of the service had it here';
COMMENT ON COLUMN jobvault."jobs"."question_block_count" IS 'Blocks of the question';
COMMENT ON COLUMN jobvault."jobs"."answer_block_count" IS 'Blocks of the answer';
COMMENT ON COLUMN jobvault."jobs"."analyze_block_count" IS 'Blocks of the stage Analyze';
COMMENT ON COLUMN jobvault."jobs"."respond_block_count" IS 'Blocks of the stage Respond';
COMMENT ON COLUMN jobvault."jobs"."artifact_count" IS 'Files that it points to';
COMMENT ON COLUMN jobvault."jobs"."source_count" IS 'Number of sources';
COMMENT ON COLUMN jobvault."jobs"."content_hash" IS 'Hash of the content, without the parts that change with every read';
COMMENT ON COLUMN jobvault."jobs"."created_at" IS 'Creation time in the id; null if the id contains no time';
COMMENT ON COLUMN jobvault."jobs"."created_at_source" IS 'The kind of that id: cuid, uuid7 or ulid';
COMMENT ON COLUMN jobvault."jobs"."created_after" IS 'Lower bound of the creation time: created_at, else the time of the previous job, as known when the row was written; in a copy both bounds are those of v_questions of its archive';
COMMENT ON COLUMN jobvault."jobs"."created_before" IS 'Upper bound of the creation time: created_at, else the time of the next job, as known when the row was written. The views v_* go by v_questions, which has the jobs beside it as they are now';
COMMENT ON COLUMN jobvault."jobs"."run_id" IS 'The export that wrote the row';
COMMENT ON COLUMN jobvault."jobs"."exported_at" IS 'When that export began to read, which is a little later than began_at of runs; in a pseudonymised copy the end of that day (UTC)';
COMMENT ON COLUMN jobvault."jobs".dt IS 'UTC day of the export; where compact has merged its month, the first of that';

CREATE TABLE IF NOT EXISTS jobvault."blocks" (
  "user_id" VARCHAR NOT NULL,
  "session_id" VARCHAR NOT NULL,
  "job_id" VARCHAR NOT NULL,
  "job_version" INTEGER NOT NULL,
  "role" VARCHAR NOT NULL,
  "block_index" INTEGER NOT NULL,
  "type" VARCHAR,
  "type_raw" VARCHAR,
  "stage" VARCHAR,
  "group_id" VARCHAR,
  "group_name" VARCHAR,
  "content_text" VARCHAR,
  "content_json" VARCHAR,
  "code_language" VARCHAR,
  "char_count" INTEGER,
  "artifact_sha256" VARCHAR,
  "search_text" VARCHAR,
  "search_version" INTEGER,
  "run_id" VARCHAR,
  "exported_at" TIMESTAMPTZ,
  dt DATE NOT NULL
);
COMMENT ON TABLE jobvault."blocks" IS 'The parts of questions and answers: texts, code, tables, images';
COMMENT ON COLUMN jobvault."blocks"."user_id" IS 'The user, as the export asked for it: the service may take another spelling for the same';
COMMENT ON COLUMN jobvault."blocks"."session_id" IS 'The conversation';
COMMENT ON COLUMN jobvault."blocks"."job_id" IS 'The question with its answer';
COMMENT ON COLUMN jobvault."blocks"."job_version" IS 'From 1; increases each time the job is written again: it has changed, or only its files have (a doubt that came or ended, a lost file that is stored now); only a change gives another content_hash in jobs';
COMMENT ON COLUMN jobvault."blocks"."role" IS 'question or answer; record for a file outside of both';
COMMENT ON COLUMN jobvault."blocks"."block_index" IS 'Position among the blocks, from 0';
COMMENT ON COLUMN jobvault."blocks"."type" IS 'MESSAGE, CODE, TABLE, IMAGE, SOURCES, QUESTIONS, ...';
COMMENT ON COLUMN jobvault."blocks"."type_raw" IS 'The type as the service spelt it';
COMMENT ON COLUMN jobvault."blocks"."stage" IS 'Analyze or Respond; another stage as it was sent';
COMMENT ON COLUMN jobvault."blocks"."group_id" IS 'The step that it belongs to; null without a step';
COMMENT ON COLUMN jobvault."blocks"."group_name" IS 'The name of the step';
COMMENT ON COLUMN jobvault."blocks"."content_text" IS 'The text of a message or of code; of a block whose content is JSON the texts in it, separated by blank lines';
COMMENT ON COLUMN jobvault."blocks"."content_json" IS 'The content of a block that is not one text, as JSON';
COMMENT ON COLUMN jobvault."blocks"."code_language" IS 'The language that the fence around all of the code names';
COMMENT ON COLUMN jobvault."blocks"."char_count" IS 'Characters of text';
COMMENT ON COLUMN jobvault."blocks"."artifact_sha256" IS 'SHA-256 of the stored file; of the first one if there are several';
COMMENT ON COLUMN jobvault."blocks"."search_text" IS 'What people read of the block, as jobvault search compares it: words in small letters without accents and marks, a blank before and after each';
COMMENT ON COLUMN jobvault."blocks"."search_version" IS 'The version of the folding of search_text';
COMMENT ON COLUMN jobvault."blocks"."run_id" IS 'The export that wrote the row';
COMMENT ON COLUMN jobvault."blocks"."exported_at" IS 'When that export began to read, which is a little later than began_at of runs; in a pseudonymised copy the end of that day (UTC)';
COMMENT ON COLUMN jobvault."blocks".dt IS 'UTC day of the export; where compact has merged its month, the first of that';

CREATE TABLE IF NOT EXISTS jobvault."sources" (
  "user_id" VARCHAR NOT NULL,
  "session_id" VARCHAR NOT NULL,
  "job_id" VARCHAR NOT NULL,
  "job_version" INTEGER NOT NULL,
  "block_index" INTEGER NOT NULL,
  "source_index" INTEGER NOT NULL,
  "source" VARCHAR,
  "datasource_id" VARCHAR,
  "dataset_id" VARCHAR,
  "file_type" VARCHAR,
  "external_id" VARCHAR,
  "extra_json" VARCHAR,
  "source_entry_id" VARCHAR,
  "content" VARCHAR,
  "page_no" INTEGER,
  "run_id" VARCHAR,
  "exported_at" TIMESTAMPTZ,
  dt DATE NOT NULL
);
COMMENT ON TABLE jobvault."sources" IS 'The data that an answer is based on';
COMMENT ON COLUMN jobvault."sources"."user_id" IS 'The user, as the export asked for it: the service may take another spelling for the same';
COMMENT ON COLUMN jobvault."sources"."session_id" IS 'The conversation';
COMMENT ON COLUMN jobvault."sources"."job_id" IS 'The question with its answer';
COMMENT ON COLUMN jobvault."sources"."job_version" IS 'From 1; increases each time the job is written again: it has changed, or only its files have (a doubt that came or ended, a lost file that is stored now); only a change gives another content_hash in jobs';
COMMENT ON COLUMN jobvault."sources"."block_index" IS 'Position among the blocks, from 0';
COMMENT ON COLUMN jobvault."sources"."source_index" IS 'Position in the block, from 0';
COMMENT ON COLUMN jobvault."sources"."source" IS 'The name of the source';
COMMENT ON COLUMN jobvault."sources"."datasource_id" IS 'The data source';
COMMENT ON COLUMN jobvault."sources"."dataset_id" IS 'The dataset';
COMMENT ON COLUMN jobvault."sources"."file_type" IS 'The type of its file';
COMMENT ON COLUMN jobvault."sources"."external_id" IS 'Its id in another system';
COMMENT ON COLUMN jobvault."sources"."extra_json" IS 'Fields of the record beyond these columns, as JSON';
COMMENT ON COLUMN jobvault."sources"."source_entry_id" IS 'The id of the cited passage in the service; null where it sends none';
COMMENT ON COLUMN jobvault."sources"."content" IS 'The cited passage; null where the service sends none';
COMMENT ON COLUMN jobvault."sources"."page_no" IS 'The page of the passage; null where the service sends none';
COMMENT ON COLUMN jobvault."sources"."run_id" IS 'The export that wrote the row';
COMMENT ON COLUMN jobvault."sources"."exported_at" IS 'When that export began to read, which is a little later than began_at of runs; in a pseudonymised copy the end of that day (UTC)';
COMMENT ON COLUMN jobvault."sources".dt IS 'UTC day of the export; where compact has merged its month, the first of that';

CREATE TABLE IF NOT EXISTS jobvault."proposed_questions" (
  "user_id" VARCHAR NOT NULL,
  "session_id" VARCHAR NOT NULL,
  "job_id" VARCHAR NOT NULL,
  "job_version" INTEGER NOT NULL,
  "block_index" INTEGER NOT NULL,
  "question_index" INTEGER NOT NULL,
  "question" VARCHAR,
  "run_id" VARCHAR,
  "exported_at" TIMESTAMPTZ,
  dt DATE NOT NULL
);
COMMENT ON TABLE jobvault."proposed_questions" IS 'Follow-up questions that the assistant proposed';
COMMENT ON COLUMN jobvault."proposed_questions"."user_id" IS 'The user, as the export asked for it: the service may take another spelling for the same';
COMMENT ON COLUMN jobvault."proposed_questions"."session_id" IS 'The conversation';
COMMENT ON COLUMN jobvault."proposed_questions"."job_id" IS 'The question with its answer';
COMMENT ON COLUMN jobvault."proposed_questions"."job_version" IS 'From 1; increases each time the job is written again: it has changed, or only its files have (a doubt that came or ended, a lost file that is stored now); only a change gives another content_hash in jobs';
COMMENT ON COLUMN jobvault."proposed_questions"."block_index" IS 'Position among the blocks, from 0';
COMMENT ON COLUMN jobvault."proposed_questions"."question_index" IS 'Position in the block, from 0';
COMMENT ON COLUMN jobvault."proposed_questions"."question" IS 'The proposed question';
COMMENT ON COLUMN jobvault."proposed_questions"."run_id" IS 'The export that wrote the row';
COMMENT ON COLUMN jobvault."proposed_questions"."exported_at" IS 'When that export began to read, which is a little later than began_at of runs; in a pseudonymised copy the end of that day (UTC)';
COMMENT ON COLUMN jobvault."proposed_questions".dt IS 'UTC day of the export; where compact has merged its month, the first of that';

CREATE TABLE IF NOT EXISTS jobvault."artifacts" (
  "user_id" VARCHAR NOT NULL,
  "session_id" VARCHAR NOT NULL,
  "job_id" VARCHAR NOT NULL,
  "job_version" INTEGER NOT NULL,
  "role" VARCHAR NOT NULL,
  "block_index" INTEGER NOT NULL,
  "file_index" INTEGER NOT NULL,
  "kind" VARCHAR,
  "name" VARCHAR,
  "url" VARCHAR,
  "expires_at" TIMESTAMPTZ,
  "status" VARCHAR,
  "reason" VARCHAR,
  "suspicious" VARCHAR,
  "sha256" VARCHAR,
  "bytes" BIGINT,
  "media_type" VARCHAR,
  "path" VARCHAR,
  "row_count" BIGINT,
  "column_count" INTEGER,
  "encoding" VARCHAR,
  "separator" VARCHAR,
  "heading_line" INTEGER,
  "width" INTEGER,
  "height" INTEGER,
  "table_text" VARCHAR,
  "search_text" VARCHAR,
  "search_version" INTEGER,
  "run_id" VARCHAR,
  "exported_at" TIMESTAMPTZ,
  dt DATE NOT NULL
);
COMMENT ON TABLE jobvault."artifacts" IS 'The files that questions and answers point to, with the status of each';
COMMENT ON COLUMN jobvault."artifacts"."user_id" IS 'The user, as the export asked for it: the service may take another spelling for the same';
COMMENT ON COLUMN jobvault."artifacts"."session_id" IS 'The conversation';
COMMENT ON COLUMN jobvault."artifacts"."job_id" IS 'The question with its answer';
COMMENT ON COLUMN jobvault."artifacts"."job_version" IS 'From 1; increases each time the job is written again: it has changed, or only its files have (a doubt that came or ended, a lost file that is stored now); only a change gives another content_hash in jobs';
COMMENT ON COLUMN jobvault."artifacts"."role" IS 'question or answer; record for a file outside of both';
COMMENT ON COLUMN jobvault."artifacts"."block_index" IS 'Position among the blocks, from 0';
COMMENT ON COLUMN jobvault."artifacts"."file_index" IS 'Position among the files of the block, from 0';
COMMENT ON COLUMN jobvault."artifacts"."kind" IS 'TABLE, IMAGE, another type of block, MARKDOWN_IMAGE, PRESIGNED_LINK, RECORD or MORE';
COMMENT ON COLUMN jobvault."artifacts"."name" IS 'The name in the service; of a URL without a name that of Content-Disposition, else the end of its path';
COMMENT ON COLUMN jobvault."artifacts"."url" IS 'The URL that it was fetched from, without signature';
COMMENT ON COLUMN jobvault."artifacts"."expires_at" IS 'When that URL expired';
COMMENT ON COLUMN jobvault."artifacts"."status" IS 'stored, expired, forbidden, missing, rejected, unresolved, failed or not_fetched';
COMMENT ON COLUMN jobvault."artifacts"."reason" IS 'Why the file was not stored when the row was written; gap list has the newest reason';
COMMENT ON COLUMN jobvault."artifacts"."suspicious" IS 'Why the content of a stored file is doubtful';
COMMENT ON COLUMN jobvault."artifacts"."sha256" IS 'SHA-256 of the stored file';
COMMENT ON COLUMN jobvault."artifacts"."bytes" IS 'Size of the file';
COMMENT ON COLUMN jobvault."artifacts"."media_type" IS 'Media type of the file';
COMMENT ON COLUMN jobvault."artifacts"."path" IS 'Path in the archive';
COMMENT ON COLUMN jobvault."artifacts"."row_count" IS 'Rows of a table';
COMMENT ON COLUMN jobvault."artifacts"."column_count" IS 'Columns of a table: the cells of its widest row';
COMMENT ON COLUMN jobvault."artifacts"."encoding" IS 'Encoding of a table: utf-8, windows-1252, shift_jis, ...; unknown where nothing tells it: then it is not searched';
COMMENT ON COLUMN jobvault."artifacts"."separator" IS 'The character between the cells of a table';
COMMENT ON COLUMN jobvault."artifacts"."heading_line" IS 'The line with the names of the columns of a table, from 1; titles and comments are above it';
COMMENT ON COLUMN jobvault."artifacts"."width" IS 'Of an image, in pixels';
COMMENT ON COLUMN jobvault."artifacts"."height" IS 'Of an image, in pixels';
COMMENT ON COLUMN jobvault."artifacts"."table_text" IS 'The rows in the first 16 KB of a table: cells set apart by tabs; for searches; null where the encoding is unknown';
COMMENT ON COLUMN jobvault."artifacts"."search_text" IS 'The words of table_text, as jobvault search compares them';
COMMENT ON COLUMN jobvault."artifacts"."search_version" IS 'The version of the folding of search_text';
COMMENT ON COLUMN jobvault."artifacts"."run_id" IS 'The export that wrote the row';
COMMENT ON COLUMN jobvault."artifacts"."exported_at" IS 'When that export began to read, which is a little later than began_at of runs; in a pseudonymised copy the end of that day (UTC)';
COMMENT ON COLUMN jobvault."artifacts".dt IS 'UTC day of the export; where compact has merged its month, the first of that';

CREATE TABLE IF NOT EXISTS jobvault."raw_jobs" (
  "user_id" VARCHAR NOT NULL,
  "session_id" VARCHAR NOT NULL,
  "job_id" VARCHAR NOT NULL,
  "job_version" INTEGER NOT NULL,
  "record" VARCHAR,
  "run_id" VARCHAR,
  "exported_at" TIMESTAMPTZ,
  dt DATE NOT NULL
);
COMMENT ON TABLE jobvault."raw_jobs" IS 'The record of each job as the service sent it';
COMMENT ON COLUMN jobvault."raw_jobs"."user_id" IS 'The user, as the export asked for it: the service may take another spelling for the same';
COMMENT ON COLUMN jobvault."raw_jobs"."session_id" IS 'The conversation';
COMMENT ON COLUMN jobvault."raw_jobs"."job_id" IS 'The question with its answer';
COMMENT ON COLUMN jobvault."raw_jobs"."job_version" IS 'From 1; increases each time the job is written again: it has changed, or only its files have (a doubt that came or ended, a lost file that is stored now); only a change gives another content_hash in jobs';
COMMENT ON COLUMN jobvault."raw_jobs"."record" IS 'The record as JSON, verbatim';
COMMENT ON COLUMN jobvault."raw_jobs"."run_id" IS 'The export that wrote the row';
COMMENT ON COLUMN jobvault."raw_jobs"."exported_at" IS 'When that export began to read, which is a little later than began_at of runs; in a pseudonymised copy the end of that day (UTC)';
COMMENT ON COLUMN jobvault."raw_jobs".dt IS 'UTC day of the export; where compact has merged its month, the first of that';

CREATE TABLE IF NOT EXISTS jobvault."datasets" (
  "dataset_id" VARCHAR NOT NULL,
  "name" VARCHAR,
  "description" VARCHAR,
  "summary" VARCHAR,
  "keywords" VARCHAR,
  "exploration_questions" VARCHAR,
  "synched_count" INTEGER,
  "invalid_count" INTEGER,
  "synching_count" INTEGER,
  "extra_json" VARCHAR,
  "run_id" VARCHAR,
  "exported_at" TIMESTAMPTZ,
  dt DATE NOT NULL
);
COMMENT ON TABLE jobvault."datasets" IS 'The datasets that a user sees; with export --with-datasets';
COMMENT ON COLUMN jobvault."datasets"."dataset_id" IS 'The dataset';
COMMENT ON COLUMN jobvault."datasets"."name" IS 'The name in the service';
COMMENT ON COLUMN jobvault."datasets"."description" IS 'The description in the service';
COMMENT ON COLUMN jobvault."datasets"."summary" IS 'The summary in the service';
COMMENT ON COLUMN jobvault."datasets"."keywords" IS 'A JSON array';
COMMENT ON COLUMN jobvault."datasets"."exploration_questions" IS 'A JSON array';
COMMENT ON COLUMN jobvault."datasets"."synched_count" IS 'Data sources that are ready to use';
COMMENT ON COLUMN jobvault."datasets"."invalid_count" IS 'Data sources that are not usable';
COMMENT ON COLUMN jobvault."datasets"."synching_count" IS 'Data sources that are being read';
COMMENT ON COLUMN jobvault."datasets"."extra_json" IS 'Fields of the record beyond these columns, as JSON';
COMMENT ON COLUMN jobvault."datasets"."run_id" IS 'The export that wrote the row';
COMMENT ON COLUMN jobvault."datasets"."exported_at" IS 'When that export began to read, which is a little later than began_at of runs; in a pseudonymised copy the end of that day (UTC)';
COMMENT ON COLUMN jobvault."datasets".dt IS 'UTC day of the export; where compact has merged its month, the first of that';

CREATE TABLE IF NOT EXISTS jobvault."deletions" (
  "user_id" VARCHAR NOT NULL,
  "session_id" VARCHAR NOT NULL,
  "deleted_at" TIMESTAMPTZ,
  "commit" BIGINT,
  "job_count" INTEGER,
  "outcome" VARCHAR,
  "run_id" VARCHAR,
  "exported_at" TIMESTAMPTZ,
  dt DATE NOT NULL
);
COMMENT ON TABLE jobvault."deletions" IS 'Sessions deleted from the service after they were archived';
COMMENT ON COLUMN jobvault."deletions"."user_id" IS 'The user, as the export asked for it: the service may take another spelling for the same';
COMMENT ON COLUMN jobvault."deletions"."session_id" IS 'The conversation';
COMMENT ON COLUMN jobvault."deletions"."deleted_at" IS 'When the deletion was recorded; of a session that two spellings of a user list, in a row of each';
COMMENT ON COLUMN jobvault."deletions"."commit" IS 'The commit in which the session is archived';
COMMENT ON COLUMN jobvault."deletions"."job_count" IS 'Number of archived jobs';
COMMENT ON COLUMN jobvault."deletions"."outcome" IS 'confirmed, confirmed-later or already-gone';
COMMENT ON COLUMN jobvault."deletions"."run_id" IS 'The export that wrote the row';
COMMENT ON COLUMN jobvault."deletions"."exported_at" IS 'When that export began to read, which is a little later than began_at of runs; in a pseudonymised copy the end of that day (UTC)';
COMMENT ON COLUMN jobvault."deletions".dt IS 'UTC day of the export; where compact has merged its month, the first of that';
