/** What a pseudonymised copy does not have of its archive, in words. */
import type { ArchiveIdentity } from '../../identity.js';

/** What the counts of a part are worth. */
const PART_COUNTS =
  'what is left out counts as never asked (in who is new, which question was the first and which came next, how long a conversation is)';

/** Of a file that the copy has a row of. */
export const FILE_NOT_IN_COPY = 'stored in the archive, not in this pseudonymised copy';

/** @param copy.texts what became of questions and answers in a pseudonymised copy */
export function whatCopyLacks(copy: NonNullable<ArchiveIdentity['pseudonymised']>): string {
  const part = copy.part ? `only what a request is about is in it, and ${PART_COUNTS}; ` : '';
  const texts = copy.texts === 'kept' ? 'texts are as people wrote them' : 'texts are left out';
  const times = copy.times === 'kept' ? 'times are as they were' : 'times are days';
  return `${part}who knows when somebody asked how much can tell whose conversations these are, and whoever has the key can tell it of all; ids and hashes are keyed digests; ${texts}; ${times}; session names, unknown words of the service (such as a new job_mode), raw records, content_json, extra_json, URLs, files, deletions, holds, requests, who accepted gaps and why, and what was erased are left out`;
}
