/** The things that several outputs count, and the queries that count them, too. */
import { TABLES } from '../../../src/model/tables.js';

/** What the guide says of each thing that several outputs count. */
export const THINGS = {
  people: 'users with a conversation; two spellings that list one conversation are one',
  ids: 'ids of users of whom the log knows anything',
  conversations: 'each once, however many spellings list it, also without a question',
  'conversations without questions': 'of them, those without one',
  questions: 'the newest version of each; those of a conversation that two spellings list, once',
  'questions searched': 'those that a search of everything looks through, left out or not',
  'questions without a time': 'those whose ids tell no time',
  unsettled: 'questions that may still change: those of conversations that the service still has',
  'not settled by the log':
    'unsettled ones, and those of conversations that the service has no more',
  'people who asked': 'users with a question; two spellings are one as for people',
  'people who asked on a date': 'of them, those of whom a question is certainly of one month',
  'answers with code': 'questions with code in their answers, in whatever stage',
  'answers with sources': 'questions whose answers name sources',
  'answers with a table': 'questions with a place of a table in their answers',
  'answers with an image': 'the same of an image',
  'uses of sources': 'by how many questions each source is used, in all',
  unanswered: 'questions whose answer has no text, table or image in the stage Respond',
  tables: 'places of answers with a table, stored or not',
  images: 'places of answers with an image, stored or not',
  'records of conversations': 'versions of questions, also of withdrawn ones',
  'places of files of all records': 'likewise',
  'versions of questions': 'each as the service sent it; of a conversation of two spellings, once',
  'rows of jobs': 'versions of questions, under each spelling',
  'rows of all tables': 'likewise',
  'conversations under each spelling': 'keys of the table sessions',
  'questions under each spelling': 'keys of the table jobs, without withdrawn ones',
  'places of files': 'of the newest versions',
  'places stored': 'of them, those with a file',
  'places not stored': 'of the newest versions, also where somebody has accepted it',
  'places of files in all versions': 'of the newest and the earlier versions',
  'places stored in all versions': 'of them, those with a file',
  'different files': 'that are stored, each once, of the newest versions',
  gaps: 'points that nobody has accepted: files and whatever else could not be archived',
  doubts: 'the same of doubts',
  'gaps by reason': 'how many of each reason, without accepted ones and doubts',
  'accepted gaps': 'of which somebody has said that they are known',
  'accepted doubts': 'the same of doubts',
  'stored in the archive': 'objects with a file, of all versions',
  'different files of all versions': 'of these, each content once',
  'doubts, accepted or not': 'both: a caveat says how many of them are accepted',
  'listed under another spelling': 'conversations that stand in the tables twice',
  absent: 'conversations that the service has no more, deleted by prune or found gone',
  'deleted by prune': 'of them, those that prune has deleted',
  erased: 'conversations that were erased and did not come back, as far as receipts tell',
  erasures: 'receipts',
  'perhaps erased': 'conversations of which no listing tells since an erasure',
  holds: 'in force',
  'listed for two users': 'conversations, which count for each',
  'never seen users': 'of whom the service lists nothing, and nothing is archived',
  'skipped users': 'whom exports skip, and of whom something is archived',
  'unproven users': 'whose conversations no listing proves to be all',
  'doubtful files': 'places with a file that may be something else',
  'lost files': 'stored once, and not found where they were looked for',
  'copies that are not anonymous': 'one in a copy',
  'archives without anything': 'one where nothing is archived',
  'complete users': 'of whom nothing is missing or in doubt, or by decision alone',
  'how whole it is': 'a word',
  'facts told with a status': 'caveats, by their headlines',
  'facts told with a report': 'likewise',
  'facts told with a pack': 'likewise',
  'facts told with a workbook': 'likewise',
  'users of the last night': 'those whom the last export was to read',
  'users complete last night': 'of them, those without a gap or a doubt',
  'gaps of the last night': 'gaps and doubts that nobody has accepted, of whom it has read',
  'accepted gaps of the last night': 'the same that somebody has accepted',
  'accepted doubts of the last night': 'the same of doubts',
  'outcome of the last night': 'a word',
  'users of the last night by state': 'how many of each state',
  'gaps of the last night by reason': 'how many of each reason, without accepted ones',
  'gaps of datasets': 'those that the last night had',
  'gaps in the morning': 'gaps and doubts that nobody has accepted when the last night is over',
  'accepted gaps in the morning': 'the same that somebody has accepted',
  'accepted doubts in the morning': 'the same of doubts',
  'never seen in the morning':
    'users of the list of whom the service lists nothing, and nothing is archived',
  'vanished in the morning': 'users of the list of whom the service lists nothing any more',
  'questions archived last night': 'versions of questions that it has written',
  'rows of jobs of the last night': 'of a conversation that two spellings list, those of each',
  'conversations listed last night': 'each once',
  'questions in the picture': 'those that were certainly asked on one day',
  'questions of 2026-09': 'those that were certainly asked in it',
  'questions of 2026-10': 'those that were certainly asked in it',
  'questions that may be in the period': 'of a request with words and a period',
  'questions searched for it': 'of them, those that are certainly in the period',
  'hits of it': 'of these, those with the words, withheld or not',
  'hits withheld': 'of them, those that a decision keeps out',
  'hits redacted': 'of them, those without their texts',
  'questions left out of it': 'with the words and without a date, whatever was decided on them',
  'questions made of it': 'hits that are not withheld, with what was taken in',
  'conversations made of it': 'those that have any of these',
  'questions of unknown date with its words': 'left out, or taken in by decision',
  'searched, undated with the words, undated without them': 'these three add up',
  'ids in two archives': 'in each of the archive and a copy for a request',
  'conversations in two archives': 'the same',
  'questions in two archives': 'the same',
  'doubts in two archives': 'the same',
  'conversations to prune': 'those that a plan names',
  'questions to prune': 'theirs',
  'what a prune keeps': 'conversations that it leaves, by why',
  'deleted by this prune': 'conversations',
  'conversations to erase': 'those that a plan names, each once',
  'questions to erase': 'theirs',
  'rows to erase': 'of all tables and versions, under each spelling',
  'files to erase': 'each once',
  'conversations left by an erasure':
    'those before it without those that went; one that another spelling keeps has not gone',
  'questions left by an erasure': 'the same',
  'rows left by an erasure': 'the same',
} as const;

/** What a pseudonymised copy leaves out, and what is not the same in it for that reason. */
export const NOT_IN_COPIES: ReadonlySet<string> = new Set<Thing>([
  'erased',
  'holds',
  'deleted by prune',
  'erasures',
  'listed under another spelling',
  // tables have a conversation of two spellings once there, and neither deletions, records nor the JSON of blocks
  'versions of questions',
  'records of conversations',
  'rows of jobs',
  'rows of all tables',
  'conversations under each spelling',
  'questions under each spelling',
  // that it is a copy is one
  'copies that are not anonymous',
  'facts told with a status',
  'facts told with a report',
  'facts told with a workbook',
]);

/** A copy has rows of sources and of files, and neither the JSON of blocks nor files: pages and workbooks have nothing to show. */
export const ROWS_TELL_MORE_OF_COPIES: ReadonlySet<string> = new Set<Thing>([
  'different files',
  'answers with sources',
  'uses of sources',
]);

/** What listings tell: a copy has none of a user of whom something may have been erased since. */
export const OF_LISTINGS: ReadonlySet<string> = new Set<Thing>([
  'ids',
  'gaps',
  'gaps by reason',
  'complete users',
  'never seen users',
  'unproven users',
  'perhaps erased',
]);

/** What days do not tell: where a question without a time stands between two of the same day. */
export const NOT_IN_COPIES_WITH_DAYS: ReadonlySet<string> = new Set<Thing>([
  'questions in the picture',
  'questions of 2026-09',
  'questions of 2026-10',
]);

/** The archives are of these. */
export const MONTHS = ['2026-09', '2026-10'] as const;

export type Thing = keyof typeof THINGS;

const CONTENTS: Readonly<Record<string, Thing>> = {
  code: 'answers with code',
  sources: 'answers with sources',
  table: 'answers with a table',
  image: 'answers with an image',
};

export interface ThingQuery {
  readonly thing: Thing;
  readonly sql: string;
}

/** By what of a query tells it. */
export const THING_QUERIES: Readonly<Record<string, ThingQuery>> = {
  users: { thing: 'ids', sql: 'SELECT count(*) FROM users' },
  'users and current_sessions': {
    thing: 'people',
    sql: 'SELECT count(DISTINCT person) FROM users JOIN current_sessions USING (user_id)',
  },
  current_sessions: { thing: 'conversations', sql: 'SELECT count(*) FROM current_sessions' },
  v_conversation_length: {
    thing: 'conversations',
    sql: 'SELECT sum(conversations)::BIGINT FROM v_conversation_length',
  },
  'v_conversation_length of none': {
    thing: 'conversations without questions',
    sql: 'SELECT sum(conversations)::BIGINT FROM v_conversation_length WHERE questions = 0',
  },
  current_jobs: { thing: 'questions', sql: 'SELECT count(*) FROM current_jobs' },
  v_questions: { thing: 'questions', sql: 'SELECT count(*) FROM v_questions' },
  'v_questions and users': {
    thing: 'people who asked',
    sql: 'SELECT count(DISTINCT users.person) FROM users JOIN v_questions USING (user_id)',
  },
  'rows of v_usage_by_user': {
    thing: 'people who asked',
    sql: 'SELECT count(*) FROM v_usage_by_user',
  },
  'new_users of v_active_users_by_month': {
    thing: 'people who asked on a date',
    sql: 'SELECT sum(new_users)::BIGINT FROM v_active_users_by_month',
  },
  'dated ones of v_questions and users': {
    thing: 'people who asked on a date',
    sql: 'SELECT count(DISTINCT users.person) FROM users JOIN v_questions USING (user_id) WHERE month IS NOT NULL',
  },
  ...Object.fromEntries(
    ['code', 'sources', 'table', 'image'].map((shape) => [
      `with_${shape} of v_answers_by_content`,
      {
        thing: CONTENTS[shape] ?? 'questions',
        sql: `SELECT sum(with_${shape})::BIGINT FROM v_answers_by_content`,
      },
    ]),
  ),
  ...Object.fromEntries(
    ['v_most_used_sources', 'v_sources_by_week'].map((view) => [
      view,
      { thing: 'uses of sources', sql: `SELECT sum(questions)::BIGINT FROM ${view}` },
    ]),
  ),
  jobs: { thing: 'rows of jobs', sql: 'SELECT count(*) FROM jobs' },
  raw_jobs: {
    thing: 'records of conversations',
    sql: 'SELECT count(*) FROM raw_jobs SEMI JOIN current_sessions USING (user_id, session_id)',
  },
  artifacts: {
    thing: 'places of files of all records',
    sql: 'SELECT count(*) FROM artifacts SEMI JOIN current_sessions USING (user_id, session_id)',
  },
  'records of conversations that count': {
    thing: 'versions of questions',
    sql: 'SELECT count(*) FROM raw_jobs SEMI JOIN current_jobs USING (user_id, session_id, job_id)',
  },
  'all tables': {
    thing: 'rows of all tables',
    sql: `SELECT ${TABLES.map(({ name }) => `(SELECT count(*) FROM ${name})`).join(' + ')}`,
  },
  'keys of sessions': {
    thing: 'conversations under each spelling',
    sql: 'SELECT count(DISTINCT (user_id, session_id)) FROM sessions',
  },
  'keys of jobs': {
    thing: 'questions under each spelling',
    sql: `SELECT count(*) FROM (SELECT arg_max(is_withdrawn, job_version) AS gone FROM jobs
      GROUP BY user_id, session_id, job_id) WHERE NOT gone`,
  },
  v_answers: { thing: 'questions', sql: 'SELECT count(*) FROM v_answers' },
  ...Object.fromEntries(
    [
      'v_usage_by_week',
      'v_usage_by_user',
      'v_answers_by_content',
      'v_failures_by_week',
      'v_failures_by_question_type',
    ].map((view) => [
      view,
      { thing: 'questions', sql: `SELECT sum(questions)::BIGINT FROM ${view}` },
    ]),
  ),
  'v_conversation_length summed': {
    thing: 'questions',
    sql: 'SELECT sum(questions * conversations)::BIGINT FROM v_conversation_length',
  },
  'created_at of current_jobs': {
    thing: 'questions without a time',
    sql: 'SELECT count(*) FROM current_jobs WHERE created_at IS NULL',
  },
  'undated of v_usage_by_week': {
    thing: 'questions without a time',
    sql: 'SELECT sum(undated)::BIGINT FROM v_usage_by_week',
  },
  'undated of v_answers_by_content': {
    thing: 'questions without a time',
    sql: 'SELECT sum(undated)::BIGINT FROM v_answers_by_content',
  },
  'v_questions of one day': {
    thing: 'questions in the picture',
    sql: 'SELECT count(*) FROM v_questions WHERE asked_after::DATE = asked_before::DATE',
  },
  ...Object.fromEntries(
    MONTHS.flatMap((month) =>
      ['v_answers_by_content', 'v_questions'].map((view) => [
        `${view} of ${month}`,
        {
          thing: `questions of ${month}`,
          sql: `SELECT ${view === 'v_questions' ? 'count(*)' : 'sum(questions)::BIGINT'} FROM ${view} WHERE month = '${month}-01'`,
        },
      ]),
    ),
  ),
  open_jobs: {
    thing: 'unsettled',
    sql: 'SELECT count(*) FROM open_jobs SEMI JOIN current_jobs USING (user_id, session_id, job_id)',
  },
  'is_answered of v_answers': {
    thing: 'unanswered',
    sql: 'SELECT count(*) FROM v_answers WHERE NOT is_answered',
  },
  'failures of v_failures_by_week': {
    thing: 'unanswered',
    sql: 'SELECT sum(without_answer + may_still_be_answered)::BIGINT FROM v_failures_by_week',
  },
  'failures of v_failures_by_question_type': {
    thing: 'unanswered',
    sql: 'SELECT sum(without_answer + may_still_be_answered)::BIGINT FROM v_failures_by_question_type',
  },
  'TABLE of current_artifacts': {
    thing: 'tables',
    sql: "SELECT count(*) FROM current_artifacts WHERE kind = 'TABLE'",
  },
  'IMAGE of current_artifacts': {
    thing: 'images',
    sql: "SELECT count(*) FROM current_artifacts WHERE kind = 'IMAGE'",
  },
  current_artifacts: {
    thing: 'places of files',
    sql: 'SELECT count(*) FROM current_artifacts',
  },
  'current_artifacts stored': {
    thing: 'places stored',
    sql: "SELECT count(*) FROM current_artifacts WHERE status = 'stored'",
  },
  'current_artifacts not stored': {
    thing: 'places not stored',
    sql: "SELECT count(*) FROM current_artifacts WHERE status <> 'stored'",
  },
  v_lost_files: { thing: 'places not stored', sql: 'SELECT sum(files)::BIGINT FROM v_lost_files' },
  'current_artifacts different': {
    thing: 'different files',
    sql: "SELECT count(DISTINCT sha256) FROM current_artifacts WHERE status = 'stored'",
  },
  'artifacts of conversations that count': {
    thing: 'places of files in all versions',
    sql: `SELECT count(*) FROM artifacts SEMI JOIN current_jobs USING (user_id, session_id, job_id)`,
  },
  'artifacts stored of conversations that count': {
    thing: 'places stored in all versions',
    sql: `SELECT count(*) FROM artifacts SEMI JOIN current_jobs USING (user_id, session_id, job_id) WHERE status = 'stored'`,
  },
  sessions_listed_again: {
    thing: 'listed under another spelling',
    sql: 'SELECT count(*) FROM sessions_listed_again',
  },
  'sessions less current_sessions': {
    thing: 'listed under another spelling',
    sql: 'SELECT count(DISTINCT (user_id, session_id)) - (SELECT count(*) FROM current_sessions) FROM sessions',
  },
  absent_sessions: {
    thing: 'absent',
    sql: 'SELECT count(*) FROM absent_sessions',
  },
  'is_gone and is_deleted of current_sessions': {
    thing: 'absent',
    sql: 'SELECT count(*) FROM current_sessions WHERE is_gone OR is_deleted',
  },
  'is_deleted of current_sessions': {
    thing: 'deleted by prune',
    sql: 'SELECT count(*) FROM current_sessions WHERE is_deleted',
  },
  'suspicious of current_artifacts': {
    thing: 'doubtful files',
    sql: 'SELECT count(*) FROM current_artifacts WHERE suspicious IS NOT NULL',
  },
  'deleted_at of absent_sessions': {
    thing: 'deleted by prune',
    sql: 'SELECT count(*) FROM absent_sessions WHERE deleted_at IS NOT NULL',
  },
  doubted_sessions: {
    thing: 'doubts',
    sql: 'SELECT count(*) FROM doubted_sessions WHERE NOT is_accepted',
  },
};
