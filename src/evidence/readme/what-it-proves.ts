/** What a pack proves, and what it does not. */
import type { PackFacts } from '../pack-facts.js';

export function provesSection({ signer, search }: PackFacts): string {
  const isOfWords = search !== null && search.searched_in !== null;
  return `
WHAT IT PROVES

- No file that the manifests list has changed since the pack was made, if the manifests
  check and the digest of the pack is the one that you were told by another way${signer === undefined ? '' : OR_SIGNED}.
- Everything in the pack was what the archive's log names: each file was read from
  the archive and its SHA-256 compared while the pack was made.
- "complete" in summary.csv: "no": something is missing; "by decision": somebody has
  decided on all that is missing: it was erased, its gaps are accepted, a question of
  unknown date is excluded, or questions are withheld or redacted. "yes": as many conversations were listed, and as many
  questions read, as the service itself counted, and every file was stored. "not proven":
  the user's conversations were never listed completely, or the last listing failed, or
  not all of those that were listed last were archived by that run, or some of them may have been erased from the
  archive since, or the archive has another spelling of the id, with conversations that are
  not in the pack and are, or may be, of the same person; in a pack of a search also:
  conversations of the user that it searched have gaps, or the period ended after the service was read last. "never seen": the service has listed nothing of this id, and nothing of it
  is archived: complete, if the id is right. A conversation that was erased is in no
  pack, and "yes" says nothing of it. If counts show whose it was, "erased" says so; of
  others nothing does: of an archive with erasures, how many it has is said at the top.
${isOfWords ? UNREAD_PROVES : ''}- "erased_since" in summary.csv: how many conversations the archive has erased since the
  user's conversations were listed last. The log keeps a receipt of each erasure. It says
  how many were erased, and never whose. So if fewer conversations are here than were
  listed, up to that number may have been erased, of this user or of others; if more
  are missing, gaps.csv says so. The next export lists the conversations again.
- "erased" in summary.csv: how many conversations of the user were certainly erased: they
  were listed and archived, receipts of erasures lie between, and the archive has fewer.
  One that several spellings of a user listed counts once, for one of these. A row without
  a user has those of users of whom nothing is in the pack.
`;
}

const OR_SIGNED = `, or its
  signature is of a key of which you were told so`;

/** That a pack has only a part is said where it has one. */
const UNREAD_PROVES = `- "complete" says what is archived, and nothing of how far a search looked: that is in
  "tables_not_searched" and "tables_in_part" (only their first 16 KB were searched) of
  summary.csv, and in tables-not-searched.csv. Words may stand there all the same.
`;

export const NOT_PROVEN_SECTION = `
WHAT IT DOES NOT PROVE

- That nobody has rewritten the whole archive before the pack was made. A digest
  of the log that was lodged elsewhere before, or a signature, can show that.
- Whose key has signed: a signature, of a pack or in the log, names a key, not a person.
  Somebody whom you trust must tell you who owns the key.
- That the service sent everything: the archive never saw what the service hides from its
  own lists, or what was deleted or changed between two runs.
- When something was asked. Created-at times are read off ids that embed one, and
  are empty otherwise; exported-at is the archiving machine's own clock.
- Who sat at the keyboard: user ids are what the service was given.
`;
