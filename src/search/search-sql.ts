/** A search as one SELECT over the archive's tables: it counts, and lists what it has found, newest first. */
import { UsageError } from '../base/error.js';
import { isOfShapeSql, type ListShape } from '../model/block-types.js';
import { rowId } from '../model/ids.js';
import { sqlText } from '../query/result-columns.js';
import type { BoundedJob } from './bounded-jobs.js';
import type { SearchTerm, SearchWords } from './parse-words.js';
import { bitOfField, type SearchField } from './search-fields.js';
import type { Undated } from '../archive/reading/chosen-jobs.js';
import { MAX_TABLE_TEXT_BYTES } from '../model/tables.js';
import { UNREAD_AT } from './search-rows.js';
import { hasAny, termCondition, type TermCondition } from './term-condition.js';

export interface SearchStatement {
  readonly words: SearchWords;
  readonly fields: readonly SearchField[];
  /** Empty: everybody. */
  readonly users: readonly string[];
  /** Empty: every session of those users. */
  readonly sessions: readonly string[];
  /** In microseconds; `from` is in the period, `to` is not. */
  readonly from?: bigint | undefined;
  readonly to?: bigint | undefined;
  /** Those of the jobs without a time of their own that the period can judge all the same. */
  readonly bounded: readonly BoundedJob[];
  /** Undefined: jobs that the period cannot place are no hits; they are listed, too, with their verdict: with a limit, some. Likewise with `exclude`. */
  readonly undated: Undated | undefined;
  /** Of hits; all of them where it is undefined, and all that were left out. */
  readonly limit: number | undefined;
  /** What a hit is shown with: the name of its session, the text in which a word was found. */
  readonly withTexts: boolean;
}

const KEY = 'user_id, session_id, job_id';
const JOB_KEY = `${KEY}, job_version`;
const SESSION_KEY = 'user_id, session_id';
/** One bit of a number of 64 for each. */
const MAX_TERMS = 60;

/** A whole number above 2 ** 53 is not exact as a number of JavaScript: bits are added as integers. */
function bitOf(place: number): bigint {
  return 1n << BigInt(place);
}

/** @throws {UsageError} there are too many words, or one is too long */
export function searchSql(search: SearchStatement): string {
  const { words, limit, withTexts } = search;
  const terms = [...words.wanted.flat(), ...words.unwanted];
  if (terms.length > MAX_TERMS) {
    throw new UsageError(`the search has ${terms.length} words; allowed are up to ${MAX_TERMS}`);
  }
  const conditions = terms.map(termCondition);
  const texts = textsOf(search);
  const bitsOf = (some: readonly SearchTerm[]): bigint =>
    some.reduce((sum, term) => sum | bitOf(terms.indexOf(term)), 0n);
  const required = [
    ...words.wanted.map((some) => `mask & ${bitsOf(some)} <> 0`),
    ...(words.unwanted.length > 0 ? [`mask & ${bitsOf(words.unwanted)} = 0`] : []),
  ];
  const hasWords = required.length === 0 ? 'true' : required.map((one) => `(${one})`).join(' AND ');
  const isHit = `${search.undated === 'include' ? IN_OR_UNKNOWN : "verdict = 'within'"} AND ${hasWords}`;
  const hasPeriod = search.from !== undefined || search.to !== undefined;
  const leavesOut = hasPeriod && search.undated !== 'include';
  const isListed = leavesOut ? `${IN_OR_UNKNOWN} AND ${hasWords}` : isHit;
  const wanted = bitsOf(words.wanted.flat());
  const looksInTables = terms.length > 0 && search.fields.includes('table');
  return [
    `WITH found AS MATERIALIZED (\n  ${terms.length > 0 && texts !== '' ? foundSelect(texts, conditions, wanted) : NOTHING_FOUND}\n)`,
    `named AS (\n  ${terms.length > 0 && search.fields.includes('name') ? namedSelect(search, conditions) : NOTHING_NAMED}\n)`,
    `bounded AS (\n  ${boundedSelect(search.bounded)}\n)`,
    `candidates AS MATERIALIZED (\n  ${candidatesSelect(search, wanted)}\n)`,
    `totals AS (SELECT
    count(*) FILTER (${IN_OR_UNKNOWN}) AS total,
    count(*) FILTER (${search.undated === 'include' ? IN_OR_UNKNOWN : "verdict = 'within'"}) AS searched,
    count(*) FILTER (${isHit}) AS matches,
    count(*) FILTER (verdict = 'unknown' AND ${hasWords}) AS time_unknown
  FROM candidates)`,
    looksInTables ? `unread AS MATERIALIZED (\n  ${unreadSelect(search, isHit)}\n)` : '',
    `tables AS (\n  ${looksInTables ? UNREAD_COUNTS : NO_TABLES}\n)`,
    `hits AS MATERIALIZED (
  SELECT row_number() OVER (${NEWEST_FIRST}) AS place, *
  FROM candidates WHERE ${isListed}${leavesOut && limit !== undefined ? firstOfEach(limit) : ''}
  ORDER BY place${leavesOut || limit === undefined ? '' : ` LIMIT ${limit}`}
)`,
    withTexts
      ? `hit_texts AS (\n  ${hitTextsSelect(texts, conditions.slice(0, words.wanted.flat().length))}\n)`
      : '',
  ]
    .filter((part) => part !== '')
    .join(',\n').concat(`
SELECT * EXCLUDE (place) FROM (SELECT total, searched, matches, time_unknown, tables_not_searched, tables_in_part, hits.user_id, hits.session_id, hits.job_id, verdict, places,
  epoch_us(hits.created_at) AS created_at, epoch_us(hits.created_after) AS created_after, coalesce(hits.latest, epoch_us(hits.created_before)) AS created_before,
  ${withTexts ? 'name, hit_texts.text' : hasPeriod ? "CASE WHEN verdict = 'unknown' THEN name END AS name, NULL AS text" : 'NULL AS name, NULL AS text'},
  hits.tables, NULL AS unread, place
FROM totals CROSS JOIN tables LEFT JOIN hits ON true${withTexts || hasPeriod ? JOIN_NAMES : ''}${withTexts ? JOIN_TEXTS : ''}${looksInTables ? unreadRows(withTexts) : ''})
ORDER BY unread IS NOT NULL, place`);
}

/** With a limit of hits: those in jobs that were not found, and the newest, come first. */
const MOST_UNREAD = 1000;

/** The tables that were not searched to their end, one a row, as JSON: the other columns are null. */
function unreadRows(hasLimit: boolean): string {
  const columns = [
    'user_id',
    'session_id',
    'session_name',
    'job_id',
    'file',
    'in_part',
    'is_found',
  ];
  return `
UNION ALL SELECT ${'NULL, '.repeat(UNREAD_AT)}to_json({${columns.map((name) => `${name}: ${name}`).join(', ')}})::VARCHAR AS unread, place
FROM (SELECT unread.*, name AS session_name, row_number() OVER (ORDER BY is_found, asked DESC NULLS LAST, reach, ${KEY}, block, file) AS place
  FROM unread LEFT JOIN current_sessions USING (${SESSION_KEY}))${hasLimit ? ` WHERE place <= ${MOST_UNREAD}` : ''}`;
}

const JOIN_NAMES = `
LEFT JOIN current_sessions ON current_sessions.user_id = hits.user_id AND current_sessions.session_id = hits.session_id`;

const JOIN_TEXTS = `
LEFT JOIN hit_texts ON hit_texts.user_id = hits.user_id AND hit_texts.session_id = hits.session_id AND hit_texts.job_id = hits.job_id`;

const NEWEST_FIRST = `ORDER BY asked DESC NULLS LAST, reach, ${KEY}`;

/** Jobs that are named with the hits because the period could not place them. */
const MOST_LEFT_OUT = 10;

function firstOfEach(hits: number): string {
  const most = `CASE WHEN verdict = 'within' THEN ${hits} ELSE ${MOST_LEFT_OUT} END`;
  return `\n  QUALIFY row_number() OVER (PARTITION BY verdict ${NEWEST_FIRST}) <= ${most}`;
}

const IN_OR_UNKNOWN = "verdict IN ('within', 'unknown')";

const NOTHING_FOUND = `SELECT ${JOB_KEY}, 0::BIGINT AS mask, NULL::INTEGER AS rank, 0 AS places, NULL::VARCHAR AS tables FROM jobs WHERE false`;

const NO_TABLES = 'SELECT 0 AS tables_not_searched, 0 AS tables_in_part';

const NOTHING_NAMED = `SELECT ${SESSION_KEY}, 0::BIGINT AS name_mask FROM jobs WHERE false`;

/** For each job its words, the first text with one that is wanted, and where such texts are. */
function foundSelect(texts: string, conditions: readonly TermCondition[], wanted: bigint): string {
  return `SELECT ${JOB_KEY}, bit_or(mask) AS mask, min(rank) FILTER (mask & ${wanted} <> 0) AS rank,
    bit_or(place) FILTER (mask & ${wanted} <> 0) AS places,
    to_json(list(DISTINCT file ORDER BY file) FILTER (mask & ${wanted} <> 0 AND file IS NOT NULL))::VARCHAR AS tables
  FROM (SELECT ${JOB_KEY}, rank, place, file, ${maskOf('text', conditions)} AS mask FROM (${texts}) WHERE ${hasAny('text', conditions)})
  GROUP BY ${JOB_KEY}`;
}

/** Tables that are not searched, or not to their end. The same file is in a job twice as a rule, and counts once there. */
function unreadSelect(search: SearchStatement, isHit: string): string {
  const isSearched = search.undated === 'include' ? IN_OR_UNKNOWN : "verdict = 'within'";
  return `SELECT ${KEY}, min(block_index) AS block, min(name) AS file, bool_or(table_text IS NOT NULL) AS in_part,
    any_value(asked) AS asked, any_value(reach) AS reach, bool_or(${isHit}) AS is_found
  FROM (SELECT ${KEY}, block_index, name, sha256, table_text, asked, reach, verdict, mask,
      CASE WHEN sha256 IS NULL THEN row_number() OVER () END AS lost
    FROM artifacts JOIN candidates USING (${JOB_KEY})
    WHERE ${isOfShapeSql('kind', 'table')} AND (bytes > ${MAX_TABLE_TEXT_BYTES} OR table_text IS NULL) AND ${isSearched})
  GROUP BY ${KEY}, sha256, lost`;
}

const UNREAD_COUNTS =
  'SELECT count(*) FILTER (NOT in_part) AS tables_not_searched, count(*) FILTER (in_part) AS tables_in_part FROM unread';

/** The words that the name of a session has, as if each of its jobs said them. */
function namedSelect(search: SearchStatement, conditions: readonly TermCondition[]): string {
  return `SELECT ${SESSION_KEY}, ${maskOf('name', conditions)} AS name_mask
  FROM current_sessions WHERE ${hasAny('name', conditions)}${restriction(search, 'AND')}`;
}

/** A bit for each word. */
function maskOf(column: string, conditions: readonly TermCondition[]): string {
  if (conditions.length === 1) return '1::BIGINT';
  const bits = conditions.map(
    (condition, bit) => `CASE WHEN ${hasAny(column, [condition])} THEN ${bitOf(bit)} ELSE 0 END`,
  );
  return `(${bits.join(' + ')})::BIGINT`;
}

/** As the report sorts: by the time, or the later of its bounds, or the earlier one; what is after a time is newer. */
const LATEST = 'coalesce(latest, epoch_us(created_before))';
const ASKED = `coalesce(epoch_us(created_at), ${LATEST}, epoch_us(created_after))`;
const REACH = `CASE WHEN created_at IS NOT NULL THEN 1 WHEN ${LATEST} IS NULL THEN 0 ELSE 2 END`;

function candidatesSelect({ from, to, ...search }: SearchStatement, wanted: bigint): string {
  const within = [
    ...(from === undefined ? [] : [`epoch_us(created_at) >= ${from}`]),
    ...(to === undefined ? [] : [`epoch_us(created_at) < ${to}`]),
  ];
  const verdict =
    within.length === 0
      ? "'within'"
      : `CASE WHEN created_at IS NULL THEN coalesce(verdict, 'unknown')
      WHEN ${within.join(' AND ')} THEN 'within' ELSE 'outside' END`;
  return `SELECT ${JOB_KEY}, created_at, created_after, created_before, latest, ${ASKED} AS asked, ${REACH} AS reach,
    ${verdict} AS verdict, coalesce(mask, 0) | coalesce(name_mask, 0) AS mask, rank, tables,
    coalesce(places, 0) | CASE WHEN coalesce(name_mask, 0) & ${wanted} <> 0 THEN ${bitOfField('name')} ELSE 0 END AS places
  FROM current_jobs LEFT JOIN found USING (${JOB_KEY}) LEFT JOIN named USING (${SESSION_KEY})
    LEFT JOIN bounded USING (${KEY})${restriction(search, 'WHERE')}`;
}

function boundedSelect(bounded: readonly BoundedJob[]): string {
  const columns = `${KEY}, verdict, latest`;
  const rows = bounded.map(
    ({ user, session, job, verdict, latest }) =>
      `(${[user, session, job, verdict].map(sqlText).join(', ')}, ${latest ?? 'NULL::BIGINT'})`,
  );
  return rows.length > 0
    ? `SELECT * FROM (VALUES ${rows.join(',\n    ')}) AS of(${columns})`
    : `SELECT ${KEY}, NULL::VARCHAR AS verdict, NULL::BIGINT AS latest FROM jobs WHERE false`;
}

/**
 * For each hit that text; the question where no word stands in a text of the job. The place of the text is no
 * condition of the join: then DuckDB would read all texts again, not only those of the hits. Texts of one block (the
 * passages and names of its sources) have one place, so the word is looked for in each.
 */
function hitTextsSelect(texts: string, wanted: readonly TermCondition[]): string {
  const question = `SELECT ${KEY}, question_text AS text FROM hits JOIN jobs USING (${JOB_KEY}) WHERE hits.rank IS NULL`;
  if (texts === '' || wanted.length === 0) return question;
  return `SELECT ${KEY}, min(CASE WHEN said.rank = hits.rank AND ${hasAny('said.text', wanted)} THEN ${nearWords('said.text', wanted)} END) AS text
  FROM (${texts}) AS said JOIN hits USING (${JOB_KEY}) WHERE hits.rank IS NOT NULL GROUP BY ${KEY}
  UNION ALL ${question}`;
}

/** Longer texts are not passed on: a hit is shown with one line of it. */
const LONG_TEXT_BYTES = 100_000;

/** Of a long text what stands around its first word. What a cut leaves of an address is left out. */
function nearWords(text: string, wanted: readonly TermCondition[]): string {
  const places = wanted.map(
    ({ pattern }) =>
      `nullif(strpos(${text}, nullif(regexp_extract(${text}, ${sqlText(pattern)}), '')), 0)`,
  );
  const place = `least(${places.join(', ')})`;
  return `CASE WHEN strlen(${text}) <= ${LONG_TEXT_BYTES} THEN ${text}
    WHEN ${place} > 1000 THEN '…' || regexp_replace(substr(${text}, ${place} - 1000, 3000), '^[!-~]{1,1000}', '')
    ELSE substr(${text}, 1, 3000) END`;
}

const IS_CODE = isOfShapeSql('type', 'code');
/** The tables of lists, which have the names of their shapes, and their columns that are searched. */
const LIST_TEXTS: Readonly<Record<ListShape, readonly string[]>> = {
  questions: ['question'],
  sources: ['source', 'content'],
};

const NO_FILE = 'NULL::VARCHAR AS file';

/**
 * Every text that is searched, with its rank among those of its job, the field that it is in, and of a table its name. Tables
 * that nobody asks for are not named. All texts of blocks come from one SELECT: a second one would read and unpack the
 * column of texts once more, only to find where it is empty.
 */
function textsOf(search: SearchStatement): string {
  const { fields } = search;
  const has = (field: SearchField): boolean => fields.includes(field);
  const ofBlocks = [
    ...(has('question') ? ["role = 'question'"] : []),
    ...(has('answer') ? [`(role = 'answer' AND NOT ${IS_CODE})`] : []),
    ...(has('code') ? [IS_CODE] : []),
  ];
  const more = restriction(search, 'AND');
  const rank = `CASE WHEN role = 'question' THEN 0 WHEN ${IS_CODE} THEN 2000000 ELSE 1000000 END`;
  const place = `CASE WHEN role = 'question' AND ${has('question')} THEN ${bitOfField('question')}
    WHEN ${IS_CODE} THEN ${bitOfField('code')} ELSE ${bitOfField('answer')} END AS place`;
  const inField = (field: SearchField): string => `${bitOfField(field)} AS place`;
  const selects = [
    ...(ofBlocks.length > 0
      ? [
          `SELECT ${JOB_KEY}, ${rank} + block_index AS rank, ${place}, ${NO_FILE}, content_text AS text
    FROM blocks WHERE content_text IS NOT NULL AND (${ofBlocks.join(' OR ')})${more}`,
        ]
      : []),
    ...(has('answer')
      ? Object.entries(LIST_TEXTS).flatMap(([table, columns]) =>
          columns.map(
            (column) =>
              `SELECT ${JOB_KEY}, 3000000 + block_index AS rank, ${inField('answer')}, ${NO_FILE}, ${column} AS text FROM ${table} WHERE ${column} IS NOT NULL${more}`,
          ),
        )
      : []),
    ...(has('file')
      ? [
          `SELECT ${JOB_KEY}, 4000000 + block_index AS rank, ${inField('file')}, ${NO_FILE}, name AS text FROM artifacts WHERE name IS NOT NULL${more}`,
        ]
      : []),
    ...(has('table')
      ? [
          `SELECT ${JOB_KEY}, 5000000 + block_index AS rank, ${inField('table')}, name AS file, table_text AS text FROM artifacts WHERE table_text IS NOT NULL${more}`,
        ]
      : []),
  ];
  return selects.join('\n    UNION ALL ');
}

function restriction(
  { users, sessions }: Pick<SearchStatement, 'users' | 'sessions'>,
  word: 'WHERE' | 'AND',
): string {
  const oneOf = (column: string, ids: readonly string[]): string[] =>
    ids.length === 0 ? [] : [`${column} IN (${ids.map((id) => sqlText(rowId(id))).join(', ')})`];
  const parts = [...oneOf('user_id', users), ...oneOf('session_id', sessions)];
  return parts.length === 0 ? '' : ` ${word} ${parts.join(' AND ')}`;
}
