/** Sentences about an archive that several commands print. */
import type { ExportSummary } from '../../export/export-summary.js';
import { agreeing, counted } from '../../base/text/counted.js';
import { userCount } from '../../model/user-spelling.js';
import { visibleLine } from './visible.js';
import { toldApart } from '../../archive/reading/caveats/told-apart.js';
import { undatedAdvice, type UndatedFacts } from '../../search/search-facts.js';
import type { ListedErasure } from '../../archive/erasures.js';
import type { OpenArchive } from '../../library/open-archive.js';
import type { OtherSpelling } from '../../archive/reading/listed-again.js';
import { tablesAndImages } from './tally.js';

/** `commit 8`, `commits 8 to 10`: the first and the last of a run. */
export function commitsText(commits: readonly number[]): string {
  const [first, last] = [commits.at(0) ?? 0, commits.at(-1) ?? 0];
  return first === last ? `commit ${first}` : `commits ${first} to ${last}`;
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
  const isAbout = userCount(about) === going;
  const named = isAbout ? about.map(visibleLine).join(', ') : counted(going, 'user');
  const whose = going === 0 ? 'their users' : named;
  const what = [
    ...(users === 0 ? [] : [counted(users, 'user')]),
    ...(sessions === 0 ? [] : [counted(sessions, 'conversation')]),
  ];
  return `only ${what.join(' and ')} not to come back${now}, and exports go on for ${whose}`;
}

/** Who it is, the archive does not know: it has a digest of each, of a user in every spelling, also one that was not erased. */
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
  const suppressed = users === 0 ? 'suppressed' : 'suppressed, a user in every spelling';
  const skipped = `${what.join(' and ')}: ${suppressed} (erase --unsuppress ends that)`;
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
