/** A search as one SELECT over the archive's tables: it counts, and lists what it has found, newest first. */
import { UsageError } from '../base/error.js';
import { FOLD_TEXT } from './fold-functions.js';
import { soughtIn, type SearchTerm } from './parse-words.js';
import { UNREAD_AT } from './search-rows.js';
import { boundedSelect, candidatesSelect, IN_OR_UNKNOWN, IS_WITHIN } from './sql/candidates.js';
import { hitTextsSelect } from './sql/hit-texts.js';
import {
  JOB_VERSION_KEY,
  JOB_KEY,
  restriction,
  SESSION_KEY,
  type SearchStatement,
} from './sql/search-statement.js';
import { textsOf } from './sql/searched-texts.js';
import { NO_TABLES, UNREAD_COUNTS, unreadRows, unreadSelect } from './sql/tables-not-searched.js';
import { bitOf, hasAny, maskOf } from './sql/word-bits.js';

/** One bit of a number of 64 for each. */
const MAX_TERMS = 60;

/** @throws {UsageError} there are too many words */
export function searchSql(search: SearchStatement): string {
  const asked = askedOf(search);
  const { wanted, isHit, looksInTables } = asked;
  const texts = textsOf(search);
  const hasTerms = asked.sought.length > 0;
  const steps: readonly Step[] = [
    {
      name: 'found',
      isKept: true,
      select: hasTerms && texts !== '' ? foundSelect(texts, asked) : NOTHING_FOUND,
    },
    {
      name: 'named',
      select:
        hasTerms && search.fields.includes('name')
          ? namedSelect(search, asked.sought)
          : NOTHING_NAMED,
    },
    { name: 'bounded', select: boundedSelect(search.bounded) },
    { name: 'candidates', isKept: true, select: candidatesSelect(search, wanted) },
    { name: 'totals', select: totalsSelect(asked) },
    ...(looksInTables
      ? [{ name: 'unread', isKept: true, select: unreadSelect(search, isHit) }]
      : []),
    { name: 'tables', select: looksInTables ? UNREAD_COUNTS : NO_TABLES },
    { name: 'hits', isKept: true, select: hitsSelect(search, asked) },
    ...(search.withTexts
      ? [{ name: 'hit_texts', select: hitTextsSelect(texts, asked.soughtIfWanted) }]
      : []),
  ];
  const all = steps.map(
    ({ name, select, isKept }) => `${name} AS ${isKept ? 'MATERIALIZED ' : ''}(\n  ${select}\n)`,
  );
  return `WITH ${all.join(',\n')}\n${resultSelect(search, asked)}`;
}

/** A table that the statement makes for itself, of those before it. */
interface Step {
  readonly name: string;
  readonly select: string;
  /** Whether DuckDB makes it once, however often it is read. */
  readonly isKept?: boolean;
}

/** What a search asks, as conditions on candidates. */
interface Asked {
  /** The words, as they stand in texts: first those that are wanted. */
  readonly sought: readonly string[];
  readonly soughtIfWanted: readonly string[];
  /** The bits of words that are wanted. */
  readonly wanted: bigint;
  readonly hasWords: string;
  readonly isSearched: string;
  readonly isHit: string;
  readonly hasPeriod: boolean;
  /** Whether jobs that the period cannot place are listed, and are no hits. */
  readonly leavesOut: boolean;
  readonly looksInTables: boolean;
}

function askedOf({ words, fields, undated, from, to }: SearchStatement): Asked {
  const wantedTerms = words.wanted.flat();
  const terms = [...wantedTerms, ...words.unwanted];
  if (terms.length > MAX_TERMS) {
    throw new UsageError(`the search has ${terms.length} words; allowed are up to ${MAX_TERMS}`);
  }
  const bitsOf = (some: readonly SearchTerm[]): bigint =>
    some.reduce((sum, term) => sum | bitOf(terms.indexOf(term)), 0n);
  const required = [
    ...words.wanted.map((some) => `(mask & ${bitsOf(some)} <> 0)`),
    ...(words.unwanted.length > 0 ? [`(mask & ${bitsOf(words.unwanted)} = 0)`] : []),
  ];
  const hasWords = required.length === 0 ? 'true' : required.join(' AND ');
  const isSearched = undated === 'include' ? IN_OR_UNKNOWN : IS_WITHIN;
  const hasPeriod = from !== undefined || to !== undefined;
  return {
    sought: terms.map(soughtIn),
    soughtIfWanted: wantedTerms.map(soughtIn),
    wanted: bitsOf(wantedTerms),
    hasWords,
    isSearched,
    isHit: `${isSearched} AND ${hasWords}`,
    hasPeriod,
    leavesOut: hasPeriod && undated !== 'include',
    looksInTables: terms.length > 0 && fields.includes('table'),
  };
}

function totalsSelect({ isSearched, isHit, hasWords }: Asked): string {
  return `SELECT
    count(*) FILTER (${IN_OR_UNKNOWN}) AS total,
    count(*) FILTER (${isSearched}) AS searched,
    count(*) FILTER (${isHit}) AS matches,
    count(*) FILTER (verdict = 'unknown' AND ${hasWords}) AS time_unknown
  FROM candidates`;
}

function hitsSelect({ limit }: SearchStatement, asked: Asked): string {
  const { hasPeriod, leavesOut, hasWords } = asked;
  const isListed = leavesOut ? `${IN_OR_UNKNOWN} AND ${hasWords}` : asked.isHit;
  const numbered = `SELECT row_number() OVER (${NEWEST_FIRST}) AS place, *
  FROM candidates WHERE ${isListed}`;
  if (limit === undefined) return `${numbered}\n  ORDER BY place`;
  return hasPeriod
    ? `${numbered}${firstRows(limit, leavesOut)}\n  ORDER BY place`
    : `${numbered}\n  ORDER BY place LIMIT ${limit}`;
}

/** A row for each hit, then one for each table that was not searched, then all that was found. */
function resultSelect({ withTexts, limit }: SearchStatement, asked: Asked): string {
  const { hasPeriod, looksInTables, isHit } = asked;
  const names = withTexts || hasPeriod ? JOIN_NAMES : '';
  const texts = withTexts ? JOIN_TEXTS : '';
  const unread = looksInTables ? unreadRows(withTexts) : '';
  const found = limit === undefined ? '' : foundRows(isHit);
  return `SELECT * EXCLUDE (place) FROM (SELECT total, searched, matches, time_unknown, tables_not_searched, tables_in_part, hits.user_id, hits.session_id, hits.job_id, verdict, places,
  epoch_us(hits.created_at) AS created_at, epoch_us(hits.created_after) AS created_after, coalesce(hits.latest, epoch_us(hits.created_before)) AS created_before,
  ${shownColumns(withTexts, hasPeriod)},
  hits.tables, NULL AS unread, NULL AS found, place
FROM totals CROSS JOIN tables LEFT JOIN hits ON true${names}${texts}${unread}${found})
ORDER BY unread IS NOT NULL OR found IS NOT NULL, place`;
}

/** Without texts only what the period could not place has a name: it is told by it. */
function shownColumns(withTexts: boolean, hasPeriod: boolean): string {
  if (withTexts) return 'name, hit_texts.said';
  const name = hasPeriod ? "CASE WHEN verdict = 'unknown' THEN name END" : 'NULL';
  return `${name} AS name, NULL AS said`;
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

const NEWEST_FIRST = `ORDER BY asked DESC NULLS LAST, reach, ${JOB_KEY}`;

/** Jobs that are named with the hits because the period could not place them. */
const MOST_LEFT_OUT = 10;

/** The first hits, and the first jobs that the period could not place, hits or not. */
function firstRows(hits: number, leavesOut: boolean): string {
  const ofVerdict = `row_number() OVER (PARTITION BY verdict ${NEWEST_FIRST})`;
  const isHit = leavesOut ? `verdict = 'within' AND ${ofVerdict} <= ${hits}` : `place <= ${hits}`;
  return `\n  QUALIFY (${isHit}) OR (verdict = 'unknown' AND ${ofVerdict} <= ${MOST_LEFT_OUT})`;
}

const NOTHING_FOUND = `SELECT ${JOB_VERSION_KEY}, 0::BIGINT AS mask, NULL::INTEGER AS rank, 0 AS places, NULL::VARCHAR AS tables FROM jobs WHERE false`;

const NOTHING_NAMED = `SELECT ${SESSION_KEY}, 0::BIGINT AS name_mask FROM jobs WHERE false`;

/** For each job its words, the first text with one that is wanted, and where such texts are. */
function foundSelect(texts: string, { sought, wanted }: Asked): string {
  return `SELECT ${JOB_VERSION_KEY}, bit_or(mask) AS mask, min(rank) FILTER (mask & ${wanted} <> 0) AS rank,
    bit_or(place) FILTER (mask & ${wanted} <> 0) AS places,
    to_json(list(DISTINCT file ORDER BY file) FILTER (mask & ${wanted} <> 0 AND file IS NOT NULL))::VARCHAR AS tables
  FROM (SELECT ${JOB_VERSION_KEY}, rank, place, file, ${maskOf('words', sought)} AS mask FROM (${texts}) WHERE ${hasAny('words', sought)})
  GROUP BY ${JOB_VERSION_KEY}`;
}

/** The words that the name of a session has, as if each of its jobs said them. */
function namedSelect(search: SearchStatement, sought: readonly string[]): string {
  const names = `SELECT ${SESSION_KEY}, ${FOLD_TEXT}(name) AS words FROM current_sessions WHERE name IS NOT NULL${restriction(search, 'AND')}`;
  return `SELECT ${SESSION_KEY}, ${maskOf('words', sought)} AS name_mask FROM (${names}) WHERE ${hasAny('words', sought)}`;
}
