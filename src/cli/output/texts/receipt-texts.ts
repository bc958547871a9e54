/** What the receipt of an erasure says beside what went, and what nobody can take out of it again. */
import { clauses } from '../../../base/text/clauses.js';
import { agreeing, counted } from '../../../base/text/counted.js';
import { usersAndConversations } from '../../../model/users-and-conversations.js';
import { userCount } from '../../../model/user-spelling.js';
import type { OpenArchive } from '../../../library/open-archive.js';
import type { ListedErasure } from '../../../archive/erasing/erasures.js';
import type { SinceReceipt } from '../../../archive/log/suppressions.js';
import { visibleLine } from '../../../base/text/visible.js';

/** What of an erasure's receipt nobody can take out again: whoever reads the plan can still give other words. */
export function stayingTexts({
  reason,
  by,
}: {
  readonly reason: string | null;
  readonly by: string | null;
}): string | null {
  const texts = clauses(
    ', ',
    reason !== null && `reason “${visibleLine(reason)}”`,
    by !== null && `by “${visibleLine(by)}”`,
  );
  if (texts === '') return null;
  return `${texts}: ${reason === null || by === null ? 'this stays' : 'these stay'} for good`;
}

type ToldOfReceipt =
  | 'at_service'
  | 'perhaps_back'
  | 'held'
  | 'shared'
  | 'suppressed'
  | 'suppression_ended'
  | 'suppressed_again'
  | 'still_there'
  | 'texts';

/** How many of what each receipt suppresses the next export archives again, at most. */
export async function backByReceipt(
  archive: Pick<OpenArchive, 'mayComeBack'>,
  receipts: readonly { readonly commit: number }[],
): Promise<(receipt: { readonly commit: number }) => number> {
  const back = new Map<number, number>();
  for (const { commit } of receipts) {
    back.set(commit, await archive.mayComeBack(undefined, [commit]));
  }
  return ({ commit }) => back.get(commit) ?? 0;
}

/** What is known beside a receipt. */
interface KnownOfReceipt {
  /** The users of its request who are still known. Default: nobody is. */
  readonly about?: readonly string[] | undefined;
  /** How many of what it suppresses the next export archives again, at most, because a user is on hold. */
  readonly back: number;
}

/**
 * What a receipt says beside what went: `; not to come back; 2 conversations on hold kept`; empty of none. What has changed
 * since stands in parentheses; the rest is as it was when the receipt was put, and says so.
 */
export function receiptNotes(
  {
    at_service: atService = 0,
    perhaps_back: perhaps = null,
    held,
    shared,
    suppressed,
    suppression_ended: ended = null,
    suppressed_again: again = null,
    still_there: others,
    texts = 0,
  }: Partial<Pick<ListedErasure, ToldOfReceipt>>,
  known: KnownOfReceipt,
): string {
  const notes = clauses(
    '; ',
    atService > 0 && `${atService} ${agreeing(atService, 'was', 'were')} still at the service`,
    perhaps &&
      `up to ${perhaps.sessions} of these may be archived again since commit ${perhaps.since}`,
    suppressed ? suppressedOfReceipt(suppressed, { ended, again }, known) : null,
    held ? `${counted(held.sessions, 'conversation')} on hold kept` : null,
    shared
      ? `${counted(shared.sessions, 'conversation')} kept that somebody else lists, too`
      : null,
    others ? `${counted(others.sessions, 'conversation')} with questions of it kept` : null,
    texts > 0 && `${counted(texts, 'text')} became [erased]`,
  );
  return notes === '' ? '' : `; ${notes}`;
}

function suppressedOfReceipt(
  suppressed: NonNullable<ListedErasure['suppressed']>,
  {
    ended,
    again,
  }: { readonly ended: SinceReceipt['suppression_ended']; readonly again: number | null },
  { about = [], back }: KnownOfReceipt,
): string {
  const { users, sessions, users_held: going } = suppressed;
  const left = { users: users - (ended?.users ?? 0), sessions: sessions - (ended?.sessions ?? 0) };
  const changes = [
    ...(ended === null ? [] : [`now ${usersAndConversations(left) || 'none of these'}`]),
    ...(again === null ? [] : [`again since commit ${again}`]),
    ...(back === 0
      ? []
      : [`${ended === null ? 'now ' : ''}up to ${back} of these come back with the next export`]),
  ];
  const now = changes.length === 0 ? '' : ` (${changes.join(', but ')})`;
  if (sessions + going === 0) return `not to come back${now}`;
  const isAbout = userCount(about) === going;
  const named = isAbout ? about.map(visibleLine).join(', ') : counted(going, 'user');
  const whose = going === 0 ? 'their users' : named;
  return `only ${usersAndConversations({ users, sessions })} not to come back${now}, and exports went on for ${whose}`;
}
