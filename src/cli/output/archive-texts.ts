/** Sentences about an archive that several commands print. */
import { LIMITS } from '../../model/records.js';
import { onArchive, step } from '../../base/next-step.js';
import { groupBy } from '../../base/group-by.js';
import type { ExportSummary } from '../../export/export-summary.js';
import type { Gap } from '../../export/jobs/gap.js';
import { agreeing, counted } from '../../base/text/counted.js';
import { type Fact, placeText, type Text } from './aligned.js';
import { visibleLine } from './visible.js';
import { DOUBTFUL_CONTENT } from '../../archive/reading/caveats/what-to-know.js';
import { toldApart } from '../../archive/reading/caveats/told-apart.js';
import { undatedAdvice, type UndatedFacts } from '../../search/search-facts.js';
import type { ListedErasure } from '../../archive/erasures.js';
import type { SharedSessions } from '../../archive/histories/session-owners.js';
import type { OpenArchive } from '../../library/open-archive.js';
import type { OtherSpelling } from '../../archive/reading/listed-again.js';
import { tablesAndImages } from './tally.js';

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

/** Gaps by status, with one example each; those that somebody has accepted come last. */
export function gapFacts(gaps: readonly Gap[]): Fact[] {
  const open = gaps.filter(({ accepted }) => accepted !== true);
  const accepted = gaps.filter((gap) => gap.accepted === true);
  const groups: [string, readonly Gap[]][] = [
    ...[...groupBy(open, ({ status }) => status)].toSorted(([, a], [, b]) => b.length - a.length),
    ...(accepted.length === 0 ? [] : [['accepted', accepted] as [string, readonly Gap[]]]),
  ];
  return [
    ['gap', 'count', 'for example'],
    ...groups.map(
      ([status, group]) => [status, group.length, group.slice(0, 1).map(gapLine).join('')] as const,
    ),
  ];
}

const SUSPICIOUS_SQL =
  'SELECT user_id, session_id, job_id, name, suspicious FROM current_artifacts WHERE suspicious IS NOT NULL';

/**
 * What is wrong with suspicious files, until when, and how to list them; null without any.
 *
 * @param isCopy whether it is a pseudonymised copy, which has neither the files nor the reasons
 */
export function suspiciousText(files: number, isCopy = false): Text | null {
  if (files === 0) return null;
  const what = `doubtful content: ${DOUBTFUL_CONTENT}`;
  const [it, they] = [agreeing(files, 'it', 'them'), agreeing(files, 'it is', 'they are')];
  if (isCopy) {
    return `${counted(files, 'file')} with ${what}; which ${they}, and why, only the archive says that this copy was made of`;
  }
  const shown = they.slice(0, 1).toUpperCase() + they.slice(1);
  const until = `stored as the service sent ${it}, with ${what}; so until the service sends others`;
  return step`${counted(files, 'file')} ${until}. ${shown} listed, with reasons, by ${onArchive('query', SUSPICIOUS_SQL)}`;
}

/** The place of a file in a job: `, block 2 (TABLE)`; empty where the gap is not about a file. */
export function filePlaceText(
  gap: Pick<Gap, 'role' | 'block_index' | 'file_index' | 'kind'>,
): string {
  const { role, block_index: block, file_index: file, kind } = gap;
  if (block === null) return '';
  const ofQuestion = role === 'question' ? ' of the question' : '';
  const place = role === 'record' ? 'outside of the blocks' : `block ${block}${ofQuestion}`;
  const which = file === null || file === 0 ? '' : `, file ${file}`;
  return `, ${place}${which}${kind === null || kind === '' ? '' : ` (${kind})`}`;
}

function gapLine({ user, session, job, reason, ...gap }: Gap): string {
  return visibleLine(`${placeText({ user, session, job })}${filePlaceText(gap)}: ${reason}`);
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

// Tells of sessions that two users list.

/** How many pairs of users are named. */
const NAMED_PAIRS = 3;

/** `2 conversations of ana and Ana: two spellings of one user`; null if there are none. */
export function sharedSessionsText(shared: readonly SharedSessions[]): string | null {
  if (shared.length === 0) return null;
  const named = shared.slice(0, NAMED_PAIRS).map(({ users, sessions, spellings }) => {
    const [first, second] = users.map(visibleLine);
    const what = spellings ? 'two spellings of one user' : 'two users';
    return `${counted(sessions, 'conversation')} of ${first} and ${second}: ${what}`;
  });
  const more = shared.length - NAMED_PAIRS;
  return [...named, ...(more > 0 ? [`and ${counted(more, 'more pair')} of users`] : [])].join('; ');
}

/**
 * `user Ana: another spelling of a user named here; if it is the same person, name it as well with --user`; null of nobody.
 *
 * @param next what to do then
 */
export function spellingsText(others: readonly OtherSpelling[], next: string): string | null {
  const clauses = [true, false].flatMap((isKnown) => {
    const some = others.filter(({ is_same: isSame }) => isSame === isKnown);
    if (some.length === 0) return [];
    const [what, same] = some.length === 1 ? ['user', 'it is'] : ['users', 'they are'];
    const named = some.map(({ user }) => visibleLine(toldApart(user))).join(', ');
    const then = isKnown
      ? `${same} the same person, because both list the same conversations: ${next}`
      : `if ${same} the same person, ${next}`;
    return [`${what} ${named}: another spelling of a user named here; ${then}`];
  });
  return clauses.length === 0 ? null : clauses.join('; ');
}

/** Whom what is made is not about, and what to do. @param request its name; null of none */
export function notInIt(others: readonly OtherSpelling[], request: string | null): string | null {
  const next =
    request === null ? 'name it as well with --user' : 'record another request that names both';
  return spellingsText(others, next);
}

/** `./archive has no holds.`; a pseudonymised copy does not know. @param what in the plural */
export function noneText(
  { location, identity }: Pick<OpenArchive, 'location' | 'identity'>,
  what: string,
): string {
  return identity.pseudonymised
    ? `${location} is a pseudonymised copy, from which ${what} are left out: ask the archive that it was made of.`
    : `${location} has no ${what}.`;
}

// Says whose sessions were never listed. A wrong user id gives an empty list, too: the line asks to check the id.

/** Users who are named: a company may have many. */
const NAMED_USERS = 5;

/**
 * `no conversation yet of adda, bod; is the id right?`; null for nobody.
 *
 * @param added those of whom no earlier run has told; of the others nobody is asked again. Default: all
 * @param areGaps whether some of them were named, and are gaps. Default: none
 */
export function neverSeenText(
  users: readonly string[],
  added: readonly string[] = users,
  areGaps = false,
): string | null {
  if (users.length === 0) return null;
  const text = `no conversation yet of ${namedUsers(users)}`;
  if (added.length === 0) {
    const right = agreeing(users.length, 'the id is', 'the ids are');
    return `${text}, as before: ${areGaps ? 'see gaps' : `nothing is missing if ${right} right`}`;
  }
  const first = added.length === users.length ? '' : `; new: ${namedUsers(added)}`;
  return `${text}${first}; is the id right?`;
}

/** What is said of a list that is refused; null for nobody. */
export function notRecordedText(users: readonly string[]): string | null {
  return users.length === 0 ? null : `${namedUsers(users)}: not recorded as users`;
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

export function namedUsers(users: readonly string[]): string {
  const named = users.slice(0, NAMED_USERS).map(visibleLine).join(', ');
  const more = users.length > NAMED_USERS ? ` and ${users.length - NAMED_USERS} more` : '';
  return named + more;
}

type ToldOfReceipt =
  'at_service' | 'held' | 'suppressed' | 'suppression_ended' | 'still_there' | 'texts';

/**
 * What a receipt says beside what went: `; not to come back; 2 conversations on hold kept`; empty of none.
 *
 * @param about the users of its request who are still known; default: nobody is
 */
export function receiptNotes(
  {
    at_service: atService = 0,
    held,
    suppressed,
    suppression_ended: ended = 0,
    still_there: others,
    texts = 0,
  }: Partial<Pick<ListedErasure, ToldOfReceipt>>,
  about: readonly string[] = [],
): string {
  return [
    ...(atService > 0 ? [`${atService} still at the service`] : []),
    ...(suppressed ? [suppressedOfReceipt(suppressed, ended, about)] : []),
    ...(held ? [`${counted(held.sessions, 'conversation')} on hold kept`] : []),
    ...(others ? [`${counted(others.sessions, 'conversation')} with questions of it kept`] : []),
    ...(texts > 0 ? [`${counted(texts, 'text')} became [erased]`] : []),
  ]
    .map((note) => `; ${note}`)
    .join('');
}

/** Of a request of which something went with an erasure. */
export function lostText(lost: 'whom' | 'words'): string {
  const what =
    lost === 'whom' ? 'everything that it is about was' : 'its words went with somebody who was';
  return `nothing can be made for it any more: ${what} erased`;
}

function suppressedOfReceipt(
  suppressed: NonNullable<ListedErasure['suppressed']>,
  ended: number,
  about: readonly string[],
): string {
  const { users, sessions, users_held: going } = suppressed;
  const still = users + sessions - ended;
  const now = ended === 0 ? '' : ` (now ${still > 0 ? still : 'none'} of these)`;
  if (sessions + going === 0) return `not to come back${now}`;
  const named = about.length === going ? about.map(visibleLine).join(', ') : counted(going, 'user');
  const whose = going === 0 ? 'their users' : named;
  const what = [
    ...(users === 0 ? [] : [counted(users, 'user')]),
    ...(sessions === 0 ? [] : [counted(sessions, 'conversation')]),
  ];
  return `only ${what.join(' and ')} not to come back${now}, and exports go on for ${whose}`;
}

/** Who it was, the archive does not know: it has a digest of each. */
export function suppressedText({
  users = 0,
  sessions = 0,
  users_on_hold: held = 0,
}: Partial<NonNullable<ExportSummary['suppressed']>> = {}): string | null {
  if (users + sessions === 0) return null;
  const what = [
    ...(users === 0 ? [] : [counted(users, 'user')]),
    ...(sessions === 0 ? [] : [counted(sessions, 'conversation')]),
  ];
  const skipped = `${what.join(' and ')}: erased, and not to come back (erase --unsuppress ends that)`;
  if (held === 0) return skipped;
  const whose =
    users === held ? agreeing(held, 'this user', 'these users') : `${held} of these users`;
  return `${skipped}; WARNING: something of ${whose} is on hold, and nothing new of it is archived`;
}

/** What becomes of jobs whose date is unknown: `left out: …` becomes a line with that label. */
export function undatedRows(facts: UndatedFacts): (readonly [string, string])[] {
  const [, label, text] = /^([^:]+): (.*)$/s.exec(undatedAdvice(facts) ?? '') ?? [];
  return label === undefined || text === undefined ? [] : [[label, text]];
}
