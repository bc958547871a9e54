/** What a pseudonymised copy notes in itself of what it lacks. */
import type { CopyLack } from '../../archive/identity.js';
import type { Caveat, CaveatKind } from '../../archive/reading/caveats/caveat.js';

/** What the log of a copy tells by itself. */
const TOLD_BY_COPY: readonly CaveatKind[] = ['gap', 'accepted_gap', 'doubted', 'not_proven'];

/** What of all of an archive its copy does not tell by itself: it has neither other spellings nor the runs. */
const LOST_BY_COPYING: readonly CaveatKind[] = ['listed_twice', 'unread_users'];

/** A note that stands beside the word `complete`: a copy has no receipts. */
const NOTED: CaveatKind = 'erasures';

/** What a copy notes in itself when it is made. @param caveats of what it is made of @param isPart has only what a request is about */
export function lacksOfCopy(caveats: readonly Caveat[], isPart: boolean): CopyLack[] {
  const isTold = (kind: CaveatKind): boolean =>
    isPart ? TOLD_BY_COPY.includes(kind) : !LOST_BY_COPYING.includes(kind);
  return caveats.flatMap(({ kind, severity, count, headline, open }) => {
    const isNoted = kind === NOTED || (severity !== 'note' && !isTold(kind));
    return isNoted ? [{ kind, severity, count, headline, open }] : [];
  });
}
