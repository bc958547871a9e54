/** What the receipt of an erasure says beside what went, and what nobody can take out of it again. */
import { counted } from '../../../base/text/counted.js';
import { userCount } from '../../../model/user-spelling.js';
import type { ListedErasure } from '../../../archive/erasures.js';
import { visibleLine } from '../visible.js';

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
