/** What a pseudonymised copy notes in itself of what it lacks. */
import type { CopyLack } from '../../archive/identity.js';
import type { Caveat, CaveatKind } from '../../archive/reading/caveats/caveat.js';

/** What the log of a copy tells by itself. */
const TOLD_BY_COPY: readonly CaveatKind[] = ['gap', 'accepted_gap', 'doubted', 'not_proven'];

/** What a copy notes in itself when it is made. @param caveats of what it is made of */
export function lacksOfCopy(caveats: readonly Caveat[]): CopyLack[] {
  return caveats.flatMap(({ kind, severity, count, headline, open }) =>
    severity === 'note' || TOLD_BY_COPY.includes(kind)
      ? []
      : [{ kind, severity, count, headline, open }],
  );
}
