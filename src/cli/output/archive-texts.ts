/** Sentences about an archive that several commands print. */
import { LIMITS } from '../../model/records.js';
import { groupBy } from '../../base/group-by.js';
import type { Gap } from '../../export/jobs/gap.js';
import { EXIT } from '../exit-code.js';
import { counted } from '../../base/text/counted.js';
import { placeText, visibleLine } from './aligned.js';
import {
  doubtText,
  gapSessionsText,
  sessionsWithOpenGaps,
  type DoubtCounts,
  type NamedDoubts,
  type MadeStatus,
} from '../../archive/reading/doubts.js';
import {
  excludedOf,
  leftOutOf,
  tablesNotReadText,
  undatedAdvice,
  withoutText,
  type SearchFacts,
} from '../../search/search-choice.js';
import type { SharedSessions } from '../../archive/histories/session-owners.js';

/** Says when something was asked: the time, or the bounds that its neighbours in the history give. */
export function askedText(
  at: string | undefined,
  after: string | undefined,
  before: string | undefined,
): string {
  if (at !== undefined) return at;
  if (after !== undefined && before !== undefined) return `between ${after} and ${before}`;
  if (after !== undefined) return `after ${after}`;
  return before === undefined ? 'time unknown' : `before ${before}`;
}

/** `commit 8`, `commits 8 to 10`: the first and the last of a run. */
export function commitsText(commits: readonly number[]): string {
  const [first, last] = [commits.at(0) ?? 0, commits.at(-1) ?? 0];
  return first === last ? `commit ${first}` : `commits ${first} to ${last}`;
}

/** Formats gaps, grouped by status, with one example each. */
export function gapsText(gaps: readonly Gap[]): string {
  const groups = [...groupBy(gaps, ({ status }) => status)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  return tallied([
    ['gap', 'count', 'for example'],
    ...groups.map(
      ([status, of]) => [status, of.length, of.slice(0, 1).map(gapLine).join('')] as const,
    ),
  ]);
}

const SUSPICIOUS_SQL =
  'SELECT user_id, session_id, job_id, name, suspicious FROM current_artifacts WHERE suspicious IS NOT NULL';

/**
 * What is wrong with suspicious files, until when, and how to list them; null without any.
 *
 * @param isCopy whether it is a pseudonymised copy, which has neither the files nor the reasons
 */
export function suspiciousText(files: number, location: string, isCopy = false): string | null {
  if (files === 0) return null;
  const what = 'doubtful content: empty, an error message, not a table';
  if (isCopy) {
    const which = files === 1 ? 'which it is' : 'which they are';
    return `${counted(files, 'file')} with ${what}; ${which}, and why, only the archive says that this copy was made of`;
  }
  return (
    `${counted(files, 'file')} stored as the service sent them, with ${what}; ` +
    `so until the service sends others. They are listed, with reasons, by jobvault query ${location} "${SUSPICIOUS_SQL}"`
  );
}

/** The place of a file in a job: `, block 2 (TABLE)`; empty where the gap is not about a file. */
export function filePlaceText(
  gap: Pick<Gap, 'role' | 'block_index' | 'file_index' | 'kind'>,
): string {
  const { role, block_index: block, file_index: file, kind } = gap;
  if (block === null) return '';
  const of = role === 'question' ? ' of the question' : '';
  const place = role === 'record' ? 'outside of the blocks' : `block ${block}${of}`;
  const which = file === null || file === 0 ? '' : `, file ${file}`;
  return `, ${place}${which}${kind === null || kind === '' ? '' : ` (${kind})`}`;
}

function gapLine({ user, session, job, reason, ...gap }: Gap): string {
  return visibleLine(`${placeText({ user, session, job })}${filePlaceText(gap)}: ${reason}`);
}

/** What a pseudonymised copy lacks; null of any other archive. */
export function leftOutText(copy: { readonly texts: 'dropped' | 'kept' } | null): string | null {
  if (!copy) return null;
  const texts = copy.texts === 'kept' ? 'texts are as people wrote them' : 'texts left out';
  return `ids and hashes are keyed digests; ${texts}; left out: session names, raw records, content_json, extra_json, URLs, files, deletions`;
}

/** What a report or a workbook of a pseudonymised copy says of files. */
export function filesOfCopy(artifacts: number): string {
  const what = tablesAndImages(artifacts);
  return `${what}: not in this pseudonymised copy`;
}

/** Foreign files that are named. */
const LISTED = 5;

/** A report's text about foreign files; null without such files. */
export function foreignText(paths: readonly string[]): string | null {
  if (paths.length === 0) return null;
  const named = paths.slice(0, LISTED).map(visibleLine).join(', ');
  const rest = paths.length > LISTED ? ', …' : '';
  return `${counted(paths.length, 'file')} not made by jobvault, left alone: ${named}${rest}`;
}

/**
 * How complete a report, a workbook or a pack is, in words. That nothing is missing of what words were looked for in is
 * one statement; what they were not looked for in is another.
 *
 * @param search what it left out, what was in doubt where it looked, and what it did not look at; null of an output without a search
 * @param place where it names the jobs that somebody excluded
 */
export function completenessHeadline(
  status: MadeStatus,
  search: (SearchFacts & DoubtCounts) | null,
  place: string,
): string {
  const headline = archiveHeadline(status, search);
  if (search === null) return headline;
  const hasWords = search.searched_in !== null;
  const whole = status === 'complete' && hasWords ? `${headline} in what was searched` : headline;
  const unread = hasWords ? tablesNotReadText(search) : null;
  const excluded = withoutText(0, excludedOf(search));
  return [
    whole,
    ...(excluded === null ? [] : [`${excluded}, named ${place}`]),
    ...(unread === null ? [] : [unread]),
  ].join('; ');
}

function archiveHeadline(status: MadeStatus, search: (SearchFacts & DoubtCounts) | null): string {
  if (status === 'complete') return 'Complete';
  if (status === 'gaps' || status === 'left-out') {
    const leftOut = leftOutOf(search);
    const without = `ithout ${counted(leftOut, 'job')} whose date is unknown`;
    if (status === 'left-out') return `W${without}`;
    return leftOut === 0 ? 'With gaps' : `With gaps, and w${without}`;
  }
  const hasGaps = search !== null && search.sessions_with_gaps > 0;
  return hasGaps ? 'Not proven complete' : 'No gap known, not proven complete';
}

/**
 * 3 where something is missing or was left out without a decision, or a session in which a search looked has a gap that nobody has
 * accepted, hit or not.
 */
export function gapsExit({
  gaps = 0,
  gaps_accepted: accepted = 0,
  search,
}: {
  /** Default: nothing was made of the jobs. */
  readonly gaps?: number;
  readonly gaps_accepted?: number;
  readonly search: (DoubtCounts & Pick<SearchFacts, 'undated' | 'time_unknown'>) | null;
}): number {
  const isMissing = gaps - accepted + leftOutOf(search) > 0 || sessionsWithOpenGaps(search) > 0;
  return isMissing ? EXIT.gaps : EXIT.complete;
}

/** What of an erasure's receipt nobody can take out again: whoever reads the plan can still give other words. */
export function stayingTexts({
  reason,
  by,
}: {
  readonly reason: string | null;
  readonly by: string | null;
}): string | null {
  const texts = [
    ...(reason === null ? [] : [`reason “${visibleLine(reason)}”`]),
    ...(by === null ? [] : [`by “${visibleLine(by)}”`]),
  ];
  if (texts.length === 0) return null;
  return `${texts.join(', ')}: ${texts.length === 1 ? 'this stays' : 'these stay'} for good`;
}

/** `; all accepted`, of gaps that are named elsewhere; empty where nobody has accepted any. */
export function acceptedSuffix(gaps: number, accepted: number): string {
  return accepted === 0 ? '' : `; ${accepted === gaps ? 'all' : accepted} accepted`;
}

/** Named on the terminal: the page, or the files beside it, has more of them. */
const DOUBTFUL_NAMED = 3;

/** @param file what names the others */
export function doubtfulLine(
  { files, named }: { readonly files: number; readonly named: readonly string[] },
  file: string,
): string | null {
  if (files === 0) return null;
  const shown = named.slice(0, DOUBTFUL_NAMED);
  const more = files - shown.length;
  const rest = more === 0 ? '' : `; and ${more} more, which ${file} names`;
  const them = files === 1 ? 'it' : 'them';
  return `${counted(files, 'file')} stored as the service sent ${them}: ${visibleLine(shown.join('; '))}${rest}`;
}

/**
 * How many gaps what is made has, and what else is named among them. Without a gap of its own, sessions in which a search
 * looked may have some.
 *
 * @param shown the number of gaps and where they are named
 * @param place where the jobs are named that are not in it
 */
export function gapsLine(
  { gaps, search }: { readonly gaps: number; readonly search: (SearchFacts & DoubtCounts) | null },
  shown: string,
  place: string,
): string {
  const inDoubt = gapSessionsText(search);
  const none = inDoubt === null ? 'none known' : `none of what is in it; ${inDoubt}`;
  const without = withoutText(leftOutOf(search), excludedOf(search));
  return `${gaps === 0 ? none : shown}${without === null ? '' : `; ${without}, named ${place}`}`;
}

/** Of what is made without tables and images that the archive has lost; null of none. */
export function lostLine(files: number): string | null {
  if (files === 0) return null;
  const each = files === 1 ? 'it is' : 'each is';
  return `${counted(files, 'file')} that the archive had, missing or damaged there now: ${each} among the gaps`;
}

/** How many answers may still change, and what to do; null where every answer has settled. */
export function unsettledLine(jobs: number, made: 'pack' | 'report' | 'workbook'): string | null {
  if (jobs === 0) return null;
  return `${counted(jobs, 'job')}: new when they were read last, or of unknown age. An export settles those that have not changed; make the ${made} after it`;
}

/** What was in doubt where a search looked; null where nothing was, and without a search. */
export function doubtLine(search: (DoubtCounts & Partial<NamedDoubts>) | null): string | null {
  const doubts = search === null ? '' : doubtText(search);
  return doubts === '' ? null : `${visibleLine(doubts)}; what is not archived was not searched`;
}

/** What a search has found, did not look at and could not place, and what was in doubt; nothing without a search. */
export function searchLines(
  search: (SearchFacts & NamedDoubts) | null,
  suffix = '',
): [label: string, text: string | null][] {
  if (search === null) return [];
  const { matches, searched, searched_in: fields, not_searched: notSearched } = search;
  const hits = `${counted(matches, 'hit')} in ${counted(searched, 'job')}${suffix}`;
  return [
    // a period alone searches nothing
    ['search', fields === null && suffix === '' ? null : hits],
    ['not searched', notSearched],
    ['date unknown', undatedAdvice(search)],
    ['in doubt', doubtLine(search)],
  ];
}

/** Null where all users are proven. */
export function notProven(users: number, place = ''): string | null {
  return users === 0 ? null : `${counted(users, 'user')}${place}`;
}

// Tells of sessions that two users list.

/** How many pairs of users are named. */
const NAMED_PAIRS = 3;

/** `2 sessions of ana and Ana: two spellings of one user`; null if there are none. */
export function sharedSessionsText(shared: readonly SharedSessions[]): string | null {
  if (shared.length === 0) return null;
  const named = shared.slice(0, NAMED_PAIRS).map(({ users, sessions, spellings }) => {
    const [first, second] = users.map(visibleLine);
    const what = spellings ? 'two spellings of one user' : 'two users';
    return `${counted(sessions, 'session')} of ${first} and ${second}: ${what}`;
  });
  const more = shared.length - NAMED_PAIRS;
  return [...named, ...(more > 0 ? [`and ${counted(more, 'more pair')} of users`] : [])].join('; ');
}

/** `user Ana: another spelling of a user named here; if it is the same person, name it as well with --user`; null of nobody. @param next what to do then */
export function spellingsText(others: readonly string[], next: string): string | null {
  if (others.length === 0) return null;
  const what = others.length === 1 ? 'user' : 'users';
  const named = others.map(toldApart).join(', ');
  return `${what} ${named}: another spelling of a user named here; if it is the same person, ${next}`;
}

/** Of a name with white space around it, or whose letters and accents are apart, also what the eye does not see. */
export function toldApart(user: string): string {
  const shown = visibleLine(user);
  if (user === user.normalize('NFC').trim()) return shown;
  const escaped = user.replace(/[^ -~]/gu, (one) => {
    const code = one.codePointAt(0) ?? 0;
    return `\\u${code > 0xffff ? `{${code.toString(16)}}` : code.toString(16).padStart(4, '0')}`;
  });
  return `${shown} (${user === user.trim() ? escaped : JSON.stringify(escaped).replaceAll('\\\\', '\\')})`;
}

/** Whom what is made is not about, and what to do. @param request its name; null of none */
export function notInIt(others: readonly string[], request: string | null): string | null {
  const next =
    request === null ? 'name it as well with --user' : 'record another request that names both';
  return spellingsText(others, next);
}

// Says whose sessions were never listed. A wrong user id gives an empty list, too: the line asks to check the id.

/** Users who are named: a company may have many. */
const NAMED_USERS = 5;

/**
 * `no session yet of adda, bod; is the id right?`; null for nobody.
 *
 * @param added those of whom no earlier run has told; of the others nobody is asked again. Default: all
 */
export function neverSeenText(
  users: readonly string[],
  added: readonly string[] = users,
): string | null {
  if (users.length === 0) return null;
  const text = `no session yet of ${namedUsers(users)}`;
  if (added.length === 0) return `${text}, as before: nothing is missing`;
  const first = added.length === users.length ? '' : `; new: ${namedUsers(added)}`;
  return `${text}${first}; is the id right?`;
}

/** `of adda, bob the service lists nothing any more: …`; null for nobody. */
export function vanishedText(users: readonly string[]): string | null {
  if (users.length === 0) return null;
  return `of ${namedUsers(users)} the service lists nothing any more; what is archived stays`;
}

/** Users whose oldest conversations the service soon forgets; null for nobody. @param names the first of them */
export function atTheCapText(count: number, names: readonly string[]): string | null {
  if (count === 0) return null;
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  const who = `${names.map(visibleLine).join(', ')}${more}`;
  return `${counted(count, 'user')} with ${LIMITS.sessionsPerUser - 10} conversations or more at the service, which keeps ${LIMITS.sessionsPerUser} and forgets the oldest: ${who}`;
}

function namedUsers(users: readonly string[]): string {
  const named = users.slice(0, NAMED_USERS).map(visibleLine).join(', ');
  const more = users.length > NAMED_USERS ? ` and ${users.length - NAMED_USERS} more` : '';
  return named + more;
}

/** Formats a summary as a table: label, count, details. */

/** A line without details is left out. */
export type TallyLine = readonly [what: string, count: number | string, rest: string | null];

export function tallied(lines: readonly TallyLine[]): string {
  const cells = lines
    .filter(([, , rest]) => rest !== null)
    .map(([what, count, rest]) => ({ what, count: numberText(count), rest }));
  const words = Math.max(...cells.map(({ what }) => what.length));
  const digits = Math.max(...cells.map(({ count }) => count.length));
  return cells
    .map(({ what, count, rest }) => `  ${what.padEnd(words)}  ${count.padStart(digits)}  ${rest}`)
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** `3 new, 2 failed`; zero counts are left out. */
export function parts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${numberText(count)} ${what}`)
    .join(', ');
}

function numberText(count: number | string): string {
  return count.toLocaleString('en-US');
}

/** `1 table or image`, `2 tables and images` */
export function tablesAndImages(count: number): string {
  return count === 1 ? '1 table or image' : `${count} tables and images`;
}
