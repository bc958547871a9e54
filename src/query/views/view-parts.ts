/** What the views `v_*` share: what one says of itself, when a question was asked, and conditions on its answer. */
import { isOfShapeSql, type BlockShape } from '../../model/blocks/block-types.js';
import { RESPOND } from '../../model/blocks/stages.js';
import type { View } from './table-views.js';

export interface QuestionView extends View {
  /** What it answers; begins with what a row is. */
  readonly describe: string;
  /** DuckDB's type and the meaning of each column, in order. */
  readonly columns: Readonly<Record<string, readonly [type: string, meaning: string]>>;
}

const JOB = ['user_id', 'session_id', 'job_id'] as const;

export function onJob(one: string, other: string): string {
  return JOB.map((column) => `${one}.${column} = ${other}.${column}`).join(' AND ');
}

/** A row of what `v_questions` does not place. */
const NO_DATE = 'null (an empty cell) where v_questions does not know which';
export const WEEK = ['DATE', 'Monday of the week'] as const;
export const WEEK_OR_NONE = ['DATE', `Monday of the week; ${NO_DATE}`] as const;
export const MONTH = ['DATE', 'First day of the month'] as const;
export const MONTH_OR_NONE = ['DATE', `First day of the month; ${NO_DATE}`] as const;

const IN_SESSION = 'PARTITION BY user_id, session_id';

/** A history that is listed by id says nothing of ids without a time. */
const NOT_BY_ID = `
        AND bool_or(job_id > id_before) OVER (${IN_SESSION}) AND bool_or(job_id <= id_before) OVER (${IN_SESSION})`;

/** When something was first archived: to the end of the day, as a pseudonymised copy has it. */
const END_OF_DAY = `(date_trunc('day', min(exported_at) AT TIME ZONE 'UTC') + INTERVAL 1 DAY - INTERVAL 1 MICROSECOND) AT TIME ZONE 'UTC'`;

/** When each job without a time was first archived, whoever listed it: a session may come under another spelling of its user. */
export const FIRST_ARCHIVED = `SELECT session_id, job_id, ${END_OF_DAY} AS archived_at
      FROM jobs WHERE created_at IS NULL GROUP BY ALL`;

/**
 * Between which dated ones of its conversation a job stands whose id has no time. A row has the neighbours of when it was
 * written, so that it would depend on the nights of the exports when a job counts. The rule is that of `boundsBeside` in
 * `model/times/time-bounds.ts`. Only sessions with such jobs are sorted: a sort of all takes longer than anything else.
 */
const NEIGHBOURS = `SELECT user_id, session_id, job_id, previous_at, next_at
    FROM (
      SELECT *, (min(created_at) OVER (${IN_SESSION}) < max(created_at) OVER (${IN_SESSION}) OR previous_at = next_at)
        AND bool_and(coalesce(created_at >= previous_at, true) AND coalesce(job_index > index_before, true)) OVER (${IN_SESSION})${NOT_BY_ID} AS is_ordered
      FROM (
        SELECT user_id, session_id, job_id, created_at, job_index,
          lag(job_index) OVER (${IN_SESSION} ORDER BY job_index) AS index_before,
          lag(job_id) OVER (${IN_SESSION} ORDER BY job_index) AS id_before,
          last_value(created_at IGNORE NULLS) OVER (${IN_SESSION} ORDER BY job_index ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS previous_at,
          first_value(created_at IGNORE NULLS) OVER (${IN_SESSION} ORDER BY job_index ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_at
        FROM current_jobs
        SEMI JOIN (FROM current_jobs WHERE created_at IS NULL) AS undated USING (user_id, session_id)
      )
    )
    WHERE created_at IS NULL AND is_ordered`;

/** An id as a pseudonymised copy has it (FORMAT.md, section 12). */
function isPseudonym(id: string): string {
  return `${id} LIKE 'p-%' AND length(${id}) = 34`;
}

/** A row of a copy has the bound that its archive knew: digests do not show how a history is listed, nor days its order. */
function boundOf(ofRow: string, ofNeighbour: string): string {
  return `CASE WHEN ${isPseudonym('dated.job_id')} THEN dated.${ofRow} ELSE beside.${ofNeighbour} END`;
}

/** The stretch of time in which a question was certainly asked: what its id does not date, the questions beside it may. */
function certain(unit: 'week' | 'month'): string {
  const begin = (column: string): string => `date_trunc('${unit}', ${column})::DATE`;
  return `CASE WHEN ${begin('asked_after')} = ${begin('asked_before')} THEN ${begin('asked_after')} END AS ${unit}`;
}

/**
 * When each question was asked, for all other views: no time is guessed. A job whose id has none counts where the dated
 * ones beside it leave no doubt.
 */
export const QUESTIONS_VIEW: QuestionView = {
  name: 'v_questions',
  describe:
    'One row for each question: when it was asked, by which the other views v_* count; of a copy that has only what a request is about, what is left out counts as never asked: in who is new, which question was the first and which came next, how long a conversation is',
  columns: {
    user_id: ['VARCHAR', 'The user'],
    session_id: ['VARCHAR', 'The conversation'],
    job_id: ['VARCHAR', 'The question with its answer'],
    job_index: ['INTEGER', 'Its place when it was first archived, as in the table jobs'],
    created_at: ['TIMESTAMPTZ', 'Creation time in the id; null if the id contains no time'],
    question_text: ['VARCHAR', 'The question'],
    source_count: ['INTEGER', 'Number of sources'],
    asked_at: ['TIMESTAMP', 'When it was asked, in UTC: created_at; null if the id tells no time'],
    asked_after: [
      'TIMESTAMP',
      'Not before: asked_at; without one, that of the dated question before it in the conversation, if the times of two at least show the order (or it stands between two of the same time) and the ids are not in alphabetical order, which would be that of the ids; else null',
    ],
    asked_before: ['TIMESTAMP', 'Not after: the same of the dated question after it'],
    week: [
      'DATE',
      'Monday of the week, if asked_after and asked_before are in the same; else null',
    ],
    month: [
      'DATE',
      'First day of the month, if asked_after and asked_before are in the same; else null',
    ],
  },
  select: `SELECT *, ${certain('week')}, ${certain('month')}
FROM (
  SELECT dated.user_id, dated.session_id, dated.job_id, dated.job_index,
    dated.created_at, dated.question_text, dated.source_count,
    dated.created_at AT TIME ZONE 'UTC' AS asked_at,
    coalesce(dated.created_at, ${boundOf('created_after', 'previous_at')}) AT TIME ZONE 'UTC' AS asked_after,
    coalesce(dated.created_at, ${boundOf('created_before', 'next_at')}) AT TIME ZONE 'UTC' AS asked_before
  FROM current_jobs AS dated
  LEFT JOIN (
    ${NEIGHBOURS}
  ) AS beside ON ${onJob('beside', 'dated')}
)`,
};

/**
 * Questions in the order of their conversation: by their times where all have one, else by their numbers, if the times
 * that there are rise with them and none is there twice.
 */
export function inConversation(questions: string): string {
  const order = `OVER (${IN_SESSION} ORDER BY CASE WHEN all_dated THEN created_at END, job_index, job_id)`;
  return `SELECT *,
    row_number() ${order} AS place,
    lead(question_text) ${order} AS next_question,
    coalesce(alone OR (differ AND (all_dated OR bool_and(coalesce(created_at >= latest_before, true) AND coalesce(job_index > index_before, true)) OVER (${IN_SESSION}))), false) AS is_ordered
  FROM (
    SELECT *,
      count(*) OVER (${IN_SESSION}) = 1 AS alone,
      min(created_at) OVER (${IN_SESSION}) < max(created_at) OVER (${IN_SESSION}) AS differ,
      bool_and(created_at IS NOT NULL) OVER (${IN_SESSION}) AS all_dated,
      lag(job_index) OVER (${IN_SESSION} ORDER BY job_index) AS index_before,
      max(created_at) OVER (${IN_SESSION} ORDER BY job_index ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest_before
    FROM (${questions})
  )`;
}

/** The questions, each with the person who asked: spellings of a user that list the same session are one. */
export const BY_PEOPLE = `SELECT asked.*, coalesce(spelt.person, asked.user_id) AS person
  FROM v_questions AS asked
  LEFT JOIN user_spellings AS spelt ON spelt.user_id = asked.user_id`;

/** What the columns of failures mean. */
export const FAILURES = {
  questions: ['BIGINT', 'Questions asked'],
  without_answer: [
    'BIGINT',
    'Those whose answer has no text, no table and no image in the stage Respond, and may not still get one',
  ],
  may_still_be_answered: [
    'BIGINT',
    'Those without such an answer that are in open_jobs, but for those that were asked (without a time of their own: first archived) before the day before the one on which they were archived (UTC); neither in without_answer nor in unanswered_rate',
  ],
  with_lost_file: [
    'BIGINT',
    'Those with a table or image that is not archived, without losses that somebody has accepted',
  ],
  with_suspicious_file: [
    'BIGINT',
    'Those with a stored file of doubtful content, such as an empty one; in no rate',
  ],
  unanswered_rate: [
    'DOUBLE',
    'Share of without_answer, from 0 to 1, of the questions that are not in may_still_be_answered; null where there are no others',
  ],
  lost_file_rate: ['DOUBLE', 'Share of with_lost_file, from 0 to 1, of the questions'],
} as const satisfies QuestionView['columns'];

/** As `FAILURES` says, over rows of `v_answers`. */
export const COUNT_FAILURES = `count(*) AS questions,
  count(*) FILTER (NOT is_answered AND NOT may_still_be_answered) AS without_answer,
  count(*) FILTER (may_still_be_answered) AS may_still_be_answered,
  count(*) FILTER (has_lost_file) AS with_lost_file,
  count(*) FILTER (has_suspicious_file) AS with_suspicious_file,
  round(count(*) FILTER (NOT is_answered AND NOT may_still_be_answered) / nullif(count(*) FILTER (NOT may_still_be_answered), 0), 4) AS unanswered_rate,
  round(count(*) FILTER (has_lost_file) / count(*), 4) AS lost_file_rate`;

/** What a column of a source was in the answer that used it last. */
export function atLastUse(column: string): string {
  return `last(${column} ORDER BY asked_at NULLS FIRST, user_id, session_id, job_id, ${column}) AS ${column}`;
}

const has = (shape: BlockShape): string =>
  `bool_or(${isOfShapeSql('type', shape)}) AS has_${shape}`;

/**
 * What came of each question. The log settles what has no answer a day after it was first archived: a question that was old
 * then would seem open meanwhile, and the first night of an archive would have no failure. By days, as `open_jobs` goes
 * by time.
 */
export const ANSWERS_VIEW: QuestionView = {
  name: 'v_answers',
  describe:
    'One row for each question, as v_questions has it, with what came of it: whether it has an answer, what is in it, and whether a file is lost; with users a row by team',
  columns: {
    ...QUESTIONS_VIEW.columns,
    is_answered: [
      'BOOLEAN',
      'Whether the answer has a text (white space alone is one), a table or an image in the stage Respond',
    ],
    may_still_be_answered: [
      'BOOLEAN',
      'Whether it has no such answer and is in open_jobs, and was not asked (without a time of its own: first archived) before the day before the one on which it was archived (UTC)',
    ],
    has_table: ['BOOLEAN', 'Whether the answer has a table'],
    has_image: ['BOOLEAN', 'Whether it has an image'],
    has_code: ['BOOLEAN', 'Whether it has code'],
    has_lost_file: [
      'BOOLEAN',
      'Whether a file of it is not archived, without losses that somebody has accepted',
    ],
    has_suspicious_file: [
      'BOOLEAN',
      'Whether the content of a stored file is doubtful, such as that of an empty one',
    ],
  },
  // `isAnswered` of `model/blocks/answered.ts` says the same of an answer
  select: `SELECT j.*,
  coalesce(blocks.is_answered, false) AS is_answered,
  NOT coalesce(blocks.is_answered, false) AND EXISTS (
    FROM open_jobs AS o JOIN current_jobs AS archived USING (user_id, session_id, job_id)
    LEFT JOIN (
      ${FIRST_ARCHIVED}
    ) AS first USING (session_id, job_id)
    WHERE ${onJob('o', 'j')} AND coalesce(archived.created_at, first.archived_at) AT TIME ZONE 'UTC' >= date_trunc('day', archived.exported_at AT TIME ZONE 'UTC') - INTERVAL 1 DAY
  ) AS may_still_be_answered,
  coalesce(blocks.has_table, false) AS has_table,
  coalesce(blocks.has_image, false) AS has_image,
  coalesce(blocks.has_code, false) AS has_code,
  coalesce(files.has_lost_file, false) AS has_lost_file,
  coalesce(files.has_suspicious_file, false) AS has_suspicious_file
FROM v_questions AS j
LEFT JOIN (
  SELECT user_id, session_id, job_id,
    bool_or(stage = '${RESPOND}' AND (char_count > 0 OR ${isOfShapeSql('type', 'table')} OR ${isOfShapeSql('type', 'image')})) AS is_answered,
    ${(['table', 'image', 'code'] as const).map(has).join(',\n    ')}
  FROM current_blocks
  WHERE role = 'answer'
  GROUP BY ALL
) AS blocks ON ${onJob('blocks', 'j')}
LEFT JOIN (
  SELECT user_id, session_id, job_id,
    bool_or(status <> 'stored' AND is_accepted IS NULL) AS has_lost_file,
    bool_or(suspicious IS NOT NULL) AS has_suspicious_file
  FROM current_artifacts
  LEFT JOIN (SELECT *, true AS is_accepted FROM accepted_losses) AS accepted
    USING (user_id, session_id, job_id, role, block_index, file_index)
  GROUP BY ALL
) AS files ON ${onJob('files', 'j')}`,
};

/** The sources that a question's answer is based on; without an id a source is known by what is `named`. */
export const USED_SOURCES = `SELECT s.* REPLACE (nullif(s.datasource_id, '') AS datasource_id), j.person, j.asked_at, j.week,
    CASE WHEN coalesce(s.datasource_id, '') = '' THEN [s.source, s.file_type, s.dataset_id] END AS named
  FROM current_sources AS s
  JOIN (${BY_PEOPLE}) AS j ON ${onJob('s', 'j')}`;
