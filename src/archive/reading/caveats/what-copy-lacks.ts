/** What a pseudonymised copy does not have of its archive, in words. */
import type { ArchiveIdentity, CopyLack } from '../../identity.js';
import type { Caveat, CaveatKind } from './caveat.js';

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

/** What a copy has noted in itself, as caveats. */
export function caveatsOfCopy(lacks: readonly CopyLack[]): Caveat[] {
  return lacks.map(({ kind, ...lack }) => ({
    kind: kind as CaveatKind,
    ...lack,
    total: null,
    why: 'as of the making of this copy, which does not tell whose it is',
    named: [],
    unnamed: 0,
    next: null,
  }));
}

/** @param copy.texts what became of questions and answers in a pseudonymised copy */
export function whatCopyLacks(copy: NonNullable<ArchiveIdentity['pseudonymised']>): string {
  const part = copy.part ? 'only what a request is about is in it; ' : '';
  const texts = copy.texts === 'kept' ? 'texts are as people wrote them' : 'texts are left out';
  const times = copy.times === 'kept' ? 'times are as they were' : 'times are days';
  return `${part}who knows when somebody asked how much can tell whose conversations these are, and whoever has the key can tell it of all; ids and hashes are keyed digests; ${texts}; ${times}; session names, raw records, content_json, extra_json, URLs, files, deletions, holds, requests, who accepted gaps and why, and what was erased are left out`;
}
