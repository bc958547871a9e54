/** What the erasures of a request have left of it, as of now: holds may have been released, the rest erased since, and others archived again. */
import type { Archive } from '../../archive.js';
import { HeldSessions } from '../../holds/held-sessions.js';
import { Holds } from '../../holds/holds.js';
import type { RequestRecord } from '../../log/request-history.js';
import { lostOfRequest } from '../../notes/change-requests.js';
import { mayComeBack } from '../../notes/set-suppressions.js';
import {
  type ArchivedAgain,
  erasedAndBack,
  type PerhapsBack,
  perhapsBackOf,
} from './erased-and-back.js';

/** Somebody, or a session, that a receipt of a request suppressed, and the archive has again. */
export interface BackOfRequest extends ArchivedAgain {
  /** Whether any of it is on hold. */
  readonly held: boolean;
}

export interface RestOfRequest {
  /**
   * `held`: something of whom the request is about is on hold; `free`: something is archived, and nothing of it on hold;
   * null: its last erasure has left nothing, or nothing is archived any more. Of a closed one nothing erases it any more.
   */
  readonly rest: 'held' | 'free' | null;
  /** What one of its receipts suppressed, and the archive has again. */
  readonly again: readonly BackOfRequest[];
  /** What may be archived again of its receipts that suppress nothing; null of none. */
  readonly perhaps_back: PerhapsBack | null;
  /** How many sessions of what its receipts suppress the next export archives again, at most: their users are on hold. */
  readonly may_come_back: number;
}

/** A request without erasures costs no reading. @throws {IntegrityError} the log is damaged */
export async function restOfRequest(
  archive: Archive,
  request: RequestRecord,
): Promise<RestOfRequest> {
  const { erasures = [] } = request;
  const receipts = erasures.map(({ commit }) => commit);
  const back = receipts.length === 0 ? [] : await erasedAndBack(archive, receipts);
  const { held, shared, suppressed } = erasures.at(-1) ?? {};
  const kept = (held?.sessions ?? 0) + (shared?.sessions ?? 0) + (suppressed?.users_held ?? 0);
  const isOver = kept === 0 || lostOfRequest(request) !== null;
  const mayReturn = {
    perhaps_back: (await perhapsBackOf(archive, erasures))(erasures),
    may_come_back: receipts.length === 0 ? 0 : await mayComeBack(archive, undefined, receipts),
  };
  if (isOver && back.length === 0) return { rest: null, again: [], ...mayReturn };
  const { index, states } = archive;
  await index.refresh();
  const holds = await new HeldSessions(archive, Holds.none).now();
  const [users, named] = [new Set<string>(request.users), new Set<string>(request.sessions)];
  let rest: RestOfRequest['rest'] = null;
  const heldNow = new Set<ArchivedAgain>();
  for (const user of index.users) {
    const { sessions } = await states.loadAsOf(user, index.through);
    const isAll = users.has(user) || users.size + named.size === 0;
    for (const session of sessions.keys()) {
      const isHeld = holds.reasonFor(user, session) !== undefined;
      const one = back.find((known) => {
        return known.session === null ? known.user === user : known.session === session;
      });
      if (one && isHeld) heldNow.add(one);
      if (isOver || (!isAll && !named.has(session))) continue;
      rest = isHeld ? 'held' : (rest ?? 'free');
    }
  }
  return { rest, again: back.map((one) => ({ ...one, held: heldNow.has(one) })), ...mayReturn };
}
