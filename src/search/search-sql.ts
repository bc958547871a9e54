/** A search as one SELECT over the archive's tables: it counts, and lists what it has found, newest first. */
import { UsageError } from '../base/error.js';
import { isOfShapeSql, LIST_SHAPES } from '../model/block-types.js';
import { FOLDING } from '../base/text/fold-text.js';
import { rowId } from '../model/ids.js';
import { sqlText } from '../query/sql-text.js';
import type { BoundedJob } from './bounded-jobs.js';
import { soughtIn, type SearchTerm, type SearchWords } from './parse-words.js';
import { bitOfField, type SearchField } from './search-fields.js';
import type { Undated } from '../archive/reading/chosen-jobs.js';
import { MAX_TABLE_TEXT_BYTES } from '../model/tables.js';
import { UNREAD_AT } from './search-rows.js';
import { FOLD_BLOCK, FOLD_TEXT } from './fold-functions.js';

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
  /** Jobs without a time of their own that the period can judge all the same. */
  readonly bounded: readonly BoundedJob[];
  /** Undefined or `exclude`: jobs that the period cannot place are no hits; they are listed, too, with their verdict: with a limit, some. */
  readonly undated: Undated | undefined;
  /** How many hits there are at most; all of them where it is undefined, and all that were left out. */
  readonly limit: number | undefined;
  /** What a hit is shown with: the name of its session, the text in which a word was found. */
  readonly withTexts: boolean;
  /** Whether a column that is not named costs nothing, as in Parquet: then what is folded already is read apart. */
  readonly readsColumns: boolean;
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

/** @throws {UsageError} there are too many words */
export function searchSql(search: SearchStatement): string {
  const { words, limit, withTexts } = search;
  const terms = [...words.wanted.flat(), ...words.unwanted];
  if (terms.length > MAX_TERMS) {
    throw new UsageError(`the search has ${terms.length} words; allowed are up to ${MAX_TERMS}`);
  }
  const sought = terms.map(soughtIn);
  const texts = textsOf(search);
  const bitsOf = (some: readonly SearchTerm[]): bigint =>
    some.reduce((sum, term) => sum | bitOf(terms.indexOf(term)), 0n);
  const required = [
    ...words.wanted.map((some) => `mask & ${bitsOf(some)} <> 0`),
    ...(words.unwanted.length > 0 ? [`mask & ${bitsOf(words.unwanted)} = 0`] : []),
  ];
  const hasWords =
    required.length === 0 ? 'true' : required.map((condition) => `(${condition})`).join(' AND ');
  const isHit = `${search.undated === 'include' ? IN_OR_UNKNOWN : "verdict = 'within'"} AND ${hasWords}`;
  const hasPeriod = search.from !== undefined || search.to !== undefined;
  const leavesOut = hasPeriod && search.undated !== 'include';
  const isListed = leavesOut ? `${IN_OR_UNKNOWN} AND ${hasWords}` : isHit;
  const wanted = bitsOf(words.wanted.flat());
  const looksInTables = terms.length > 0 && search.fields.includes('table');
  return [
    `WITH found AS MATERIALIZED (\n  ${terms.length > 0 && texts !== '' ? foundSelect(texts, sought, wanted) : NOTHING_FOUND}\n)`,
    `named AS (\n  ${terms.length > 0 && search.fields.includes('name') ? namedSelect(search, sought) : NOTHING_NAMED}\n)`,
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
  FROM candidates WHERE ${isListed}${limit !== undefined && hasPeriod ? firstRows(limit, leavesOut) : ''}
  ORDER BY place${hasPeriod || limit === undefined ? '' : ` LIMIT ${limit}`}
)`,
    withTexts
      ? `hit_texts AS (\n  ${hitTextsSelect(texts, sought.slice(0, words.wanted.flat().length))}\n)`
      : '',
  ]
    .filter((part) => part !== '')
    .join(',\n').concat(`
SELECT * EXCLUDE (place) FROM (SELECT total, searched, matches, time_unknown, tables_not_searched, tables_in_part, hits.user_id, hits.session_id, hits.job_id, verdict, places,
  epoch_us(hits.created_at) AS created_at, epoch_us(hits.created_after) AS created_after, coalesce(hits.latest, epoch_us(hits.created_before)) AS created_before,
  ${withTexts ? 'name, hit_texts.said' : hasPeriod ? "CASE WHEN verdict = 'unknown' THEN name END AS name, NULL AS said" : 'NULL AS name, NULL AS said'},
  hits.tables, NULL AS unread, NULL AS found, place
FROM totals CROSS JOIN tables LEFT JOIN hits ON true${withTexts || hasPeriod ? JOIN_NAMES : ''}${withTexts ? JOIN_TEXTS : ''}${looksInTables ? unreadRows(withTexts) : ''}${limit === undefined ? '' : foundRows(isHit)})
ORDER BY unread IS NOT NULL OR found IS NOT NULL, place`);
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
UNION ALL SELECT ${'NULL, '.repeat(UNREAD_AT)}to_json({${columns.map((name) => `${name}: ${name}`).join(', ')}})::VARCHAR AS unread, NULL AS found, place
FROM (SELECT unread.*, name AS session_name, row_number() OVER (ORDER BY is_found, asked DESC NULLS LAST, reach, ${KEY}, block, file) AS place
  FROM unread LEFT JOIN current_sessions USING (${SESSION_KEY}))${hasLimit ? ` WHERE place <= ${MOST_UNREAD}` : ''}`;
}

/** With a limit of hits: the ids of all, a session a row, as JSON: the other columns are null. */
function foundRows(isHit: string): string {
  const found = `{user_id: user_id, session_id: session_id, session_name: name, jobs: jobs}`;
  return `
UNION ALL SELECT ${'NULL, '.repeat(UNREAD_AT)}NULL AS unread, to_json(${found})::VARCHAR AS found, NULL AS place
FROM (SELECT ${SESSION_KEY}, list(job_id) AS jobs FROM candidates WHERE ${isHit} GROUP BY ALL)
  LEFT JOIN current_sessions USING (${SESSION_KEY})`;
}

const JOIN_NAMES = `
LEFT JOIN current_sessions ON current_sessions.user_id = hits.user_id AND current_sessions.session_id = hits.session_id`;

const JOIN_TEXTS = `
LEFT JOIN hit_texts ON hit_texts.user_id = hits.user_id AND hit_texts.session_id = hits.session_id AND hit_texts.job_id = hits.job_id`;

const NEWEST_FIRST = `ORDER BY asked DESC NULLS LAST, reach, ${KEY}`;

/** Jobs that are named with the hits because the period could not place them. */
const MOST_LEFT_OUT = 10;

/** The first hits, and the first jobs that the period could not place, hits or not. */
function firstRows(hits: number, leavesOut: boolean): string {
  const ofVerdict = `row_number() OVER (PARTITION BY verdict ${NEWEST_FIRST})`;
  const isHit = leavesOut ? `verdict = 'within' AND ${ofVerdict} <= ${hits}` : `place <= ${hits}`;
  return `\n  QUALIFY (${isHit}) OR (verdict = 'unknown' AND ${ofVerdict} <= ${MOST_LEFT_OUT})`;
}

const IN_OR_UNKNOWN = "verdict IN ('within', 'unknown')";

const NOTHING_FOUND = `SELECT ${JOB_KEY}, 0::BIGINT AS mask, NULL::INTEGER AS rank, 0 AS places, NULL::VARCHAR AS tables FROM jobs WHERE false`;

const NO_TABLES = 'SELECT 0 AS tables_not_searched, 0 AS tables_in_part';

const NOTHING_NAMED = `SELECT ${SESSION_KEY}, 0::BIGINT AS name_mask FROM jobs WHERE false`;

/** For each job its words, the first text with one that is wanted, and where such texts are. */
function foundSelect(texts: string, sought: readonly string[], wanted: bigint): string {
  return `SELECT ${JOB_KEY}, bit_or(mask) AS mask, min(rank) FILTER (mask & ${wanted} <> 0) AS rank,
    bit_or(place) FILTER (mask & ${wanted} <> 0) AS places,
    to_json(list(DISTINCT file ORDER BY file) FILTER (mask & ${wanted} <> 0 AND file IS NOT NULL))::VARCHAR AS tables
  FROM (SELECT ${JOB_KEY}, rank, place, file, ${maskOf('words', sought)} AS mask FROM (${texts}) WHERE ${hasAny('words', sought)})
  GROUP BY ${JOB_KEY}`;
}

/** Whether folded words have one of those that are sought. */
function hasAny(column: string, sought: readonly string[]): string {
  return `(${sought.map((word) => `contains(${column}, ${sqlText(word)})`).join(' OR ')})`;
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
function namedSelect(search: SearchStatement, sought: readonly string[]): string {
  const names = `SELECT ${SESSION_KEY}, ${FOLD_TEXT}(name) AS words FROM current_sessions WHERE name IS NOT NULL${restriction(search, 'AND')}`;
  return `SELECT ${SESSION_KEY}, ${maskOf('words', sought)} AS name_mask FROM (${names}) WHERE ${hasAny('words', sought)}`;
}

/** A bit for each word. */
function maskOf(column: string, sought: readonly string[]): string {
  if (sought.length === 1) return '1::BIGINT';
  const bits = sought.map(
    (word, bit) => `CASE WHEN ${hasAny(column, [word])} THEN ${bitOf(bit)} ELSE 0 END`,
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
 * For each hit that text as JSON; the question where no word stands in a text of the job, or only in code. The place of the text is no
 * condition of the join: then DuckDB would read all texts again, not only those of the hits. Files of one block have one
 * place, so the word is looked for in each.
 */
function hitTextsSelect(texts: string, sought: readonly string[]): string {
  const question = `SELECT ${KEY}, to_json({text: question_text})::VARCHAR AS said FROM hits JOIN jobs USING (${JOB_KEY}) WHERE hits.rank IS NULL`;
  if (texts === '' || sought.length === 0) return question;
  const isShown = `shown.rank = hits.rank AND NOT coalesce(${IS_CODE}, false) AND ${hasAny('words', sought)}`;
  const found = `SELECT ${JOB_KEY}, min(CASE WHEN ${isShown} THEN ${saidOf(sought)} END) AS text
  FROM (${texts}) AS shown JOIN hits USING (${JOB_KEY}) WHERE hits.rank IS NOT NULL GROUP BY ${JOB_KEY}`;
  return `SELECT ${KEY}, coalesce(text, to_json({text: question_text})::VARCHAR) AS said
  FROM (${found}) JOIN jobs USING (${JOB_KEY})
  UNION ALL ${question}`;
}

/** Longer texts are not passed on: a hit is shown with one line of it. */
const LONG_TEXT_BYTES = 1_000_000;
/** How many characters of a long text stand before the first word that was found, and in all. */
const NEAR = { before: 100, length: 400 } as const;

/** What a hit is shown with: the text, or the words around the first one of a text that is long. */
function saidOf(sought: readonly string[]): string {
  const places = sought.map((word) => `nullif(strpos(words, ${sqlText(word)}), 0)`);
  const near = `substr(words, greatest(1, least(${places.join(', ')}) - ${NEAR.before}), ${NEAR.length})`;
  return `CASE WHEN coalesce(strlen(text), 0) + coalesce(strlen(json), 0) <= ${LONG_TEXT_BYTES}
      THEN to_json({role: role, type: type, text: text, json: json})::VARCHAR ELSE to_json({text: '…' || ${near} || '…'})::VARCHAR END`;
}

const IS_CODE = isOfShapeSql('type', 'code');
const IS_LIST = `(${LIST_SHAPES.map((shape) => isOfShapeSql('type', shape)).join(' OR ')})`;
/** The entries of other JSON are in its text. */
const LIST_JSON = `CASE WHEN ${IS_LIST} THEN content_json END`;

/**
 * Every text that is searched: its words, folded, with its rank among those of its job, the field that it is in, of a table
 * its name, and what it is shown with. Tables that nobody asks for are not named.
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
  const rank = `CASE WHEN role = 'question' THEN 0 WHEN ${IS_CODE} THEN 2000000 WHEN ${IS_LIST} THEN 3000000 ELSE 1000000 END`;
  const place = `CASE WHEN role = 'question' AND ${has('question')} THEN ${bitOfField('question')}
    WHEN ${IS_CODE} THEN ${bitOfField('code')} ELSE ${bitOfField('answer')} END`;
  const folded = (table: string, row: FoldedRow): string[] => foldedSelects(search, table, row);
  return [
    ...(ofBlocks.length > 0
      ? folded('blocks', {
          columns: `${rank} + block_index AS rank, ${place} AS place, NULL::VARCHAR AS file, role, type, content_text AS text, ${LIST_JSON} AS json`,
          fold: `${FOLD_BLOCK}(role, type, content_text, ${LIST_JSON})`,
          where: `(${ofBlocks.join(' OR ')})${more}`,
        })
      : []),
    ...(has('file')
      ? [
          `SELECT ${JOB_KEY}, 4000000 + block_index AS rank, ${bitOfField('file')} AS place, NULL::VARCHAR AS file, ${OF_A_FILE}, name AS text, NULL::VARCHAR AS json, ${FOLD_TEXT}(name) AS words FROM artifacts WHERE name IS NOT NULL${more}`,
        ]
      : []),
    ...(has('table')
      ? folded('artifacts', {
          columns: `5000000 + block_index AS rank, ${bitOfField('table')} AS place, name AS file, ${OF_A_FILE}, table_text AS text, NULL::VARCHAR AS json`,
          fold: `${FOLD_TEXT}(table_text)`,
          where: `table_text IS NOT NULL${more}`,
        })
      : []),
  ].join('\n    UNION ALL ');
}

const OF_A_FILE = 'NULL::VARCHAR AS role, NULL::VARCHAR AS type';

interface FoldedRow {
  readonly columns: string;
  /** Makes the words of a row that has none, or those of another folding. */
  readonly fold: string;
  readonly where: string;
}

/** What is folded already is read apart where that spares the reading of texts: it is nearly everything. */
function foldedSelects(
  { readsColumns }: SearchStatement,
  table: string,
  { columns, fold, where }: FoldedRow,
): string[] {
  const select = (words: string, rows: string): string =>
    `SELECT ${JOB_KEY}, ${columns}, ${words} AS words FROM ${table} WHERE ${rows}`;
  if (!readsColumns) {
    return [select(`CASE WHEN ${IS_FOLDED} THEN search_text ELSE ${fold} END`, where)];
  }
  return [
    select('search_text', `search_text IS NOT NULL AND ${IS_FOLDED} AND ${where}`),
    select(fold, `(search_version <> ${FOLDING} OR search_version IS NULL) AND ${where}`),
  ];
}

const IS_FOLDED = `search_version = ${FOLDING}`;

function restriction(
  { users, sessions }: Pick<SearchStatement, 'users' | 'sessions'>,
  word: 'WHERE' | 'AND',
): string {
  const oneOf = (column: string, ids: readonly string[]): string[] =>
    ids.length === 0 ? [] : [`${column} IN (${ids.map((id) => sqlText(rowId(id))).join(', ')})`];
  const parts = [...oneOf('user_id', users), ...oneOf('session_id', sessions)];
  return parts.length === 0 ? '' : ` ${word} ${parts.join(' AND ')}`;
}
