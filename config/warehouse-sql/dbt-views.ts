/**
 * The views `v_*` as dbt models, with the user and the team in each row: sums over users are what the views of `query` say.
 * The user of a row that counts is a person: several spellings are one. Plain SQL, which every warehouse reads.
 */
import { isOfShapeSql, type BlockShape } from '../../src/model/blocks/block-types.js';
import { RESPOND } from '../../src/model/blocks/stages.js';

interface DbtView {
  readonly name: string;
  readonly meaning: string;
  readonly sql: string;
}

const JOB = ['user_id', 'session_id', 'job_id'] as const;

function onJob(one: string, other: string): string {
  return JOB.map((column) => `${one}.${column} = ${other}.${column}`).join(' AND ');
}

/** How many questions: ids that can be guessed come in several conversations. */
function countQuestions(of: string): string {
  return `COUNT(DISTINCT ${of}.session_id || '|' || ${of}.job_id) AS questions`;
}

/** An empty id means that there is none. */
const SOURCE_ID = "NULLIF(sources.datasource_id, '')";

function has(shape: BlockShape, more = ''): string {
  return `MAX(CASE WHEN ${isOfShapeSql('type', shape)}${more} THEN 1 ELSE 0 END)`;
}

const IN_SESSION = 'PARTITION BY user_id, session_id';
/** By time where all questions have one, and else by their places in the history. */
const IN_ORDER = `OVER (${IN_SESSION} ORDER BY CASE WHEN undated = 0 THEN created_at END, job_index, job_id)`;

const IS_PSEUDONYM = `job_id LIKE 'p-%' AND LENGTH(job_id) = 34`;

/** By the rule of `v_questions` of `query`. */
const ASKED = `  SELECT
    placed.*,
    created_at AS asked_at,
    CASE WHEN created_at IS NOT NULL THEN created_at WHEN ${IS_PSEUDONYM} THEN created_after WHEN is_placed = 1 THEN previous_at END AS asked_after,
    CASE WHEN created_at IS NOT NULL THEN created_at WHEN ${IS_PSEUDONYM} THEN created_before WHEN is_placed = 1 THEN next_at END AS asked_before
  FROM (
    SELECT
      beside.*,
      CASE
        WHEN (MIN(created_at) OVER (${IN_SESSION}) < MAX(created_at) OVER (${IN_SESSION}) OR previous_at = next_at)
          AND SUM(CASE WHEN created_at < previous_at OR job_index = index_before THEN 1 ELSE 0 END) OVER (${IN_SESSION}) = 0
          AND SUM(CASE WHEN job_id > id_before THEN 1 ELSE 0 END) OVER (${IN_SESSION}) > 0
          AND SUM(CASE WHEN job_id <= id_before THEN 1 ELSE 0 END) OVER (${IN_SESSION}) > 0
        THEN 1
        ELSE 0
      END AS is_placed
    FROM (
      SELECT
        jobs_now.user_id,
        jobs_now.session_id,
        jobs_now.job_id,
        jobs_now.created_at,
        jobs_now.created_after,
        jobs_now.created_before,
        jobs_now.job_index,
        jobs_now.question_text,
        jobs_now.source_count,
        jobs_now.is_settled,
        archived.archived_at,
        LAG(job_index) OVER (PARTITION BY jobs_now.user_id, jobs_now.session_id ORDER BY job_index) AS index_before,
        LAG(jobs_now.job_id) OVER (PARTITION BY jobs_now.user_id, jobs_now.session_id ORDER BY job_index) AS id_before,
        MAX(created_at) OVER (PARTITION BY jobs_now.user_id, jobs_now.session_id ORDER BY job_index ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS previous_at,
        MIN(created_at) OVER (PARTITION BY jobs_now.user_id, jobs_now.session_id ORDER BY job_index ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_at
      FROM {{ ref('current_jobs') }} AS jobs_now
      JOIN (
        SELECT session_id, job_id, MIN(exported_at) AS archived_at
        FROM {{ ref('jobs') }}
        GROUP BY session_id, job_id
      ) AS archived
        ON archived.session_id = jobs_now.session_id
        AND archived.job_id = jobs_now.job_id
    ) AS beside
  ) AS placed`;

/** The week or the month in which a question was certainly asked. */
function certain(macro: 'utc_monday' | 'utc_month'): string {
  const begin = (column: string): string => `{{ ${macro}('asked.${column}') }}`;
  return `CASE WHEN ${begin('asked_after')} = ${begin('asked_before')} THEN ${begin('asked_after')} END`;
}

/** As the columns of the views of the same names. */
const COUNT_FAILURES = `COUNT(*) AS questions,
  SUM(CASE WHEN is_answered OR may_still_be_answered THEN 0 ELSE 1 END) AS without_answer,
  SUM(CASE WHEN may_still_be_answered THEN 1 ELSE 0 END) AS may_still_be_answered,
  SUM(CASE WHEN lost_files > 0 THEN 1 ELSE 0 END) AS with_lost_file,
  SUM(CASE WHEN has_suspicious_file THEN 1 ELSE 0 END) AS with_suspicious_file`;

export const DBT_VIEWS: readonly DbtView[] = [
  {
    name: 'v_users',
    meaning:
      'Users with their person and, of the users file, their team: dbt build --vars "{team: NAME}"',
    sql: `SELECT
  user_id,
  person,
  CAST({{ var('team', 'NULL') }} AS {{ dbt.type_string() }}) AS team,
  first_seen_at,
  last_seen_at
FROM {{ source('jobvault', 'users') }}`,
  },
  {
    name: 'v_questions',
    meaning:
      'One row for each question: who asked it and when, and what its answer has; it may still be answered if it was not settled when it was read, and was asked (without a time of its own: first archived) today or yesterday (UTC)',
    sql: `SELECT
  asked.user_id,
  COALESCE(users.person, asked.user_id) AS person,
  users.team,
  asked.session_id,
  asked.job_id,
  asked.job_index,
  asked.asked_at,
  asked.asked_after,
  asked.asked_before,
  ${certain('utc_monday')} AS week,
  ${certain('utc_month')} AS month,
  asked.created_at,
  asked.question_text,
  asked.source_count,
  COALESCE(blocks.is_answered, 0) = 1 AS is_answered,
  COALESCE(blocks.is_answered, 0) = 0 AND NOT asked.is_settled
    AND {{ utc_day('COALESCE(asked.created_at, asked.archived_at)') }} >= {{ utc_day_before('CURRENT_TIMESTAMP') }} AS may_still_be_answered,
  COALESCE(blocks.has_table, 0) = 1 AS has_table,
  COALESCE(blocks.has_image, 0) = 1 AS has_image,
  COALESCE(blocks.has_code, 0) = 1 AS has_code,
  COALESCE(files.lost_files, 0) AS lost_files,
  COALESCE(stored.is_suspicious, 0) = 1 AS has_suspicious_file
FROM (
${ASKED}
) AS asked
LEFT JOIN {{ ref('v_users') }} AS users
  ON users.user_id = asked.user_id
LEFT JOIN (
  SELECT
    ${JOB.join(', ')},
    MAX(CASE WHEN stage = '${RESPOND}' AND (char_count > 0 OR ${isOfShapeSql('type', 'table')} OR ${isOfShapeSql('type', 'image')}) THEN 1 ELSE 0 END) AS is_answered,
    ${has('table')} AS has_table,
    ${has('image')} AS has_image,
    ${has('code')} AS has_code
  FROM {{ ref('current_blocks') }}
  WHERE role = 'answer'
  GROUP BY ${JOB.join(', ')}
) AS blocks
  ON ${onJob('blocks', 'asked')}
LEFT JOIN (
  SELECT ${JOB.join(', ')}, COUNT(*) AS lost_files
  FROM {{ ref('current_artifacts') }} AS lost
  WHERE status <> 'stored'
    AND NOT EXISTS (
      SELECT 1 FROM {{ source('jobvault', 'accepted_losses') }} AS accepted
      WHERE ${onJob('accepted', 'lost')} AND accepted.role = lost.role AND accepted.block_index = lost.block_index AND accepted.file_index = lost.file_index
    )
  GROUP BY ${JOB.join(', ')}
) AS files
  ON ${onJob('files', 'asked')}
LEFT JOIN (
  SELECT
    ${JOB.join(', ')},
    MAX(CASE WHEN suspicious IS NOT NULL THEN 1 ELSE 0 END) AS is_suspicious
  FROM {{ ref('current_artifacts') }}
  GROUP BY ${JOB.join(', ')}
) AS stored
  ON ${onJob('stored', 'asked')}`,
  },
  {
    name: 'v_usage_by_week',
    meaning: 'One row for each user and week with a question: conversations and questions',
    sql: `SELECT
  person AS user_id,
  team,
  week,
  COUNT(DISTINCT session_id) AS conversations,
  COUNT(*) AS questions,
  SUM(CASE WHEN created_at IS NULL THEN 1 ELSE 0 END) AS undated
FROM {{ ref('v_questions') }}
GROUP BY person, team, week`,
  },
  {
    name: 'v_usage_by_user',
    meaning:
      'One row for each user who has asked: conversations, questions, weeks, the first and the last day',
    sql: `SELECT
  person AS user_id,
  team,
  COUNT(DISTINCT session_id) AS conversations,
  COUNT(*) AS questions,
  {{ utc_day('MIN(asked_at)') }} AS first_day,
  {{ utc_day('MAX(asked_at)') }} AS last_day,
  COUNT(DISTINCT week) AS active_weeks
FROM {{ ref('v_questions') }}
GROUP BY person, team`,
  },
  {
    name: 'v_answers_by_content',
    meaning:
      'One row for each user and month: how many answers have a table, an image, code, sources, or words alone',
    sql: `SELECT
  person AS user_id,
  team,
  month,
  COUNT(*) AS questions,
  SUM(CASE WHEN has_table THEN 1 ELSE 0 END) AS with_table,
  SUM(CASE WHEN has_image THEN 1 ELSE 0 END) AS with_image,
  SUM(CASE WHEN has_code THEN 1 ELSE 0 END) AS with_code,
  SUM(CASE WHEN source_count > 0 THEN 1 ELSE 0 END) AS with_sources,
  SUM(CASE WHEN is_answered AND NOT has_table AND NOT has_image AND NOT has_code THEN 1 ELSE 0 END) AS words_alone,
  SUM(CASE WHEN created_at IS NULL THEN 1 ELSE 0 END) AS undated
FROM {{ ref('v_questions') }}
GROUP BY person, team, month`,
  },
  {
    name: 'v_failures_by_week',
    meaning:
      'One row for each user and week: questions without an answer, with a lost file, and with a stored one of doubtful content; what may still be answered stands apart',
    sql: `SELECT
  person AS user_id,
  team,
  week,
  ${COUNT_FAILURES}
FROM {{ ref('v_questions') }}
GROUP BY person, team, week`,
  },
  {
    name: 'v_conversation_length',
    meaning: 'One row for each conversation: how many questions it has',
    sql: `SELECT
  COALESCE(users.person, sessions.user_id) AS user_id,
  users.team,
  sessions.session_id,
  COUNT(questions.job_id) AS questions
FROM {{ ref('current_sessions') }} AS sessions
LEFT JOIN {{ ref('v_users') }} AS users
  ON users.user_id = sessions.user_id
LEFT JOIN {{ ref('v_questions') }} AS questions
  ON questions.user_id = sessions.user_id AND questions.session_id = sessions.session_id
GROUP BY COALESCE(users.person, sessions.user_id), users.team, sessions.session_id`,
  },
  {
    name: 'v_sources_by_week',
    meaning:
      'One row for each user, week and data source, known by its id, name, file type and dataset: in how many answers it was used',
    sql: `SELECT
  questions.person AS user_id,
  questions.team,
  questions.week,
  ${SOURCE_ID} AS datasource_id,
  sources.source,
  sources.file_type,
  sources.dataset_id,
  ${countQuestions('questions')}
FROM {{ ref('v_questions') }} AS questions
JOIN {{ ref('current_sources') }} AS sources
  ON ${onJob('sources', 'questions')}
GROUP BY questions.person, questions.team, questions.week, ${SOURCE_ID}, sources.source, sources.file_type, sources.dataset_id`,
  },
  {
    name: 'v_lost_files',
    meaning:
      'One row for each user, kind, status and reason: files that are not archived, and in how many answers',
    sql: `SELECT
  COALESCE(users.person, files.user_id) AS user_id,
  users.team,
  files.kind,
  files.status,
  files.reason,
  COUNT(*) AS files,
  ${countQuestions('files')}
FROM {{ ref('current_artifacts') }} AS files
LEFT JOIN {{ ref('v_users') }} AS users
  ON users.user_id = files.user_id
WHERE files.status <> 'stored'
GROUP BY COALESCE(users.person, files.user_id), users.team, files.kind, files.status, files.reason`,
  },
  {
    name: 'v_active_users_by_month',
    meaning:
      'One row for each user and month with a dated question: how many, whether it is the first month of the user, and whether only questions without a time of their own are in it',
    sql: `SELECT
  person AS user_id,
  team,
  month,
  questions,
  CASE WHEN month = MIN(month) OVER (PARTITION BY person) THEN 1 ELSE 0 END AS is_new,
  is_undated
FROM (
  SELECT person, team, month, COUNT(*) AS questions, MIN(CASE WHEN created_at IS NULL THEN 1 ELSE 0 END) AS is_undated
  FROM {{ ref('v_questions') }}
  WHERE month IS NOT NULL
  GROUP BY person, team, month
) AS asked`,
  },
  {
    name: 'v_questions_in_order',
    meaning:
      'One row for each question with its place in the conversation and the question that came next; is_ordered where the order is known',
    sql: `SELECT
  user_id,
  person,
  team,
  session_id,
  job_id,
  month,
  is_answered,
  may_still_be_answered,
  lost_files,
  has_suspicious_file,
  ROW_NUMBER() ${IN_ORDER} AS place,
  LEAD(question_text) ${IN_ORDER} AS next_question,
  (CASE WHEN alone = 1 OR (first_at < last_at AND (undated = 0 OR falls = 0)) THEN 1 ELSE 0 END) = 1 AS is_ordered
FROM (
  SELECT
    beside.*,
    SUM(CASE WHEN created_at < latest_before OR job_index <= index_before THEN 1 ELSE 0 END) OVER (${IN_SESSION}) AS falls
  FROM (
    SELECT
      questions.*,
      COUNT(*) OVER (${IN_SESSION}) AS alone,
      MIN(created_at) OVER (${IN_SESSION}) AS first_at,
      MAX(created_at) OVER (${IN_SESSION}) AS last_at,
      SUM(CASE WHEN created_at IS NULL THEN 1 ELSE 0 END) OVER (${IN_SESSION}) AS undated,
      LAG(job_index) OVER (${IN_SESSION} ORDER BY job_index) AS index_before,
      MAX(created_at) OVER (${IN_SESSION} ORDER BY job_index ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest_before
    FROM {{ ref('v_questions') }} AS questions
  ) AS beside
) AS placed`,
  },
  {
    name: 'v_failures_by_question_type',
    meaning:
      'One row for each user, mode and kind of question (first question, follow-up, order unknown): questions without an answer, with a lost file, and with a stored one of doubtful content; what may still be answered stands apart',
    sql: `SELECT
  person AS user_id,
  team,
  job_mode,
  question_type,
  ${COUNT_FAILURES}
FROM (
  SELECT
    asked.person,
    asked.team,
    sessions.job_mode,
    asked.is_answered,
    asked.may_still_be_answered,
    asked.lost_files,
    asked.has_suspicious_file,
    CASE WHEN NOT asked.is_ordered THEN 'order unknown' WHEN asked.place = 1 THEN 'first question' ELSE 'follow-up' END AS question_type
  FROM {{ ref('v_questions_in_order') }} AS asked
  LEFT JOIN {{ ref('current_sessions') }} AS sessions
    ON sessions.user_id = asked.user_id AND sessions.session_id = asked.session_id
) AS typed
GROUP BY person, team, job_mode, question_type`,
  },
  {
    name: 'v_follow_ups_taken',
    meaning:
      'One row for each user and month: questions after which others were proposed, after how many a proposed one was asked next, word for word, and of how many the order is unknown; proposals_taken is null where the order or the texts of none are known',
    sql: `SELECT
  person AS user_id,
  team,
  month,
  COUNT(*) AS questions_with_proposals,
  SUM(CASE WHEN is_ordered AND is_taken = 1 THEN 1 WHEN is_ordered AND is_known = 1 THEN 0 END) AS proposals_taken,
  SUM(CASE WHEN is_ordered THEN 0 ELSE 1 END) AS order_unknown
FROM (
  SELECT
    asked.person,
    asked.team,
    asked.session_id,
    asked.job_id,
    asked.month,
    asked.is_ordered,
    MAX(CASE WHEN proposed.question IS NOT NULL THEN 1 ELSE 0 END) AS is_known,
    MAX(CASE WHEN TRIM(proposed.question) = TRIM(asked.next_question) THEN 1 ELSE 0 END) AS is_taken
  FROM {{ ref('v_questions_in_order') }} AS asked
  JOIN {{ ref('current_proposed_questions') }} AS proposed
    ON ${onJob('proposed', 'asked')}
  GROUP BY asked.user_id, asked.person, asked.team, asked.session_id, asked.job_id, asked.month, asked.is_ordered
) AS offered
GROUP BY person, team, month`,
  },
  {
    name: 'v_most_used_sources',
    meaning:
      'One row for each user and data source, known by its id, name, file type and dataset: in how many answers it was used, and the first and the last day',
    sql: `SELECT
  questions.person AS user_id,
  questions.team,
  ${SOURCE_ID} AS datasource_id,
  sources.source,
  sources.file_type,
  sources.dataset_id,
  ${countQuestions('questions')},
  {{ utc_day('MIN(questions.asked_at)') }} AS first_used,
  {{ utc_day('MAX(questions.asked_at)') }} AS last_used
FROM {{ ref('v_questions') }} AS questions
JOIN {{ ref('current_sources') }} AS sources
  ON ${onJob('sources', 'questions')}
GROUP BY questions.person, questions.team, ${SOURCE_ID}, sources.source, sources.file_type, sources.dataset_id`,
  },
  {
    name: 'v_time_to_next_question',
    meaning:
      'One row for each question that another of its conversation followed within an hour: seconds until then; only questions whose ids tell their times count, none where a question without a time may have come in between, as asked_after and asked_before of v_questions say, and none that has the time of the next, as those of a day in a pseudonymised copy without --keep-times',
    sql: `SELECT
  person AS user_id,
  team,
  session_id,
  job_id,
  {{ utc_monday('created_at') }} AS week,
  next_at,
  {{ epoch_seconds('next_at') }} - {{ epoch_seconds('created_at') }} AS seconds
FROM (
  SELECT
    questions.*,
    LEAD(created_at) OVER (${IN_SESSION} ORDER BY created_at, job_index, job_id) AS next_at
  FROM {{ ref('v_questions') }} AS questions
  WHERE created_at IS NOT NULL
) AS paired
WHERE next_at > created_at
  AND {{ epoch_seconds('next_at') }} - {{ epoch_seconds('created_at') }} < 3600
  AND NOT EXISTS (
    SELECT 1
    FROM {{ ref('v_questions') }} AS undated
    WHERE undated.user_id = paired.user_id
      AND undated.session_id = paired.session_id
      AND undated.created_at IS NULL
      AND (undated.asked_after IS NULL OR undated.asked_after < paired.next_at)
      AND (undated.asked_before IS NULL OR undated.asked_before > paired.created_at)
  )`,
  },
];
