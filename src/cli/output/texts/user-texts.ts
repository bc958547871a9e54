/** Users of whom nothing was listed, or not everything. A wrong id gives an empty list, too: the line asks to check it. */
import { agreeing } from '../../../base/text/counted.js';
import { type NextStep, onArchive, step } from '../../../base/next-step.js';
import { withMore } from '../../../base/text/with-more.js';
import { SLOTS_OFF_THE_CAP, usersAtTheCap } from '../../../model/session-cap.js';
import { visibleLine } from '../../../base/text/visible.js';

/** Users who are named: a company may have many. */
const NAMED_USERS = 5;

/**
 * `no conversation of adda, bod; is the id right?`; null for nobody.
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
  const text = `no conversation of ${namedUsers(users)}`;
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

/** Users whose oldest conversations the service soon forgets; null for nobody. @param names at least the first of them */
export function atTheCapText(count: number, names: readonly string[]): string | null {
  if (count === 0) return null;
  const who = withMore(names.slice(0, NAMED_USERS).map(visibleLine), count);
  return `${usersAtTheCap(count)} and forgets the oldest: ${who}`;
}

/** The same, with the command that shows what makes room. */
export function atTheCapStep(count: number, names: readonly string[]): NextStep | null {
  const text = atTheCapText(count, names);
  return text === null ? null : step`${text}; to make room: ${MAKE_ROOM}`;
}

export const MAKE_ROOM = onArchive('prune', '--free-slots', String(SLOTS_OFF_THE_CAP), '--dry-run');

export function namedUsers(users: readonly string[]): string {
  return withMore(users.slice(0, NAMED_USERS).map(visibleLine), users.length);
}
