/** What the status of a gap means, and what ends it, as a clause: in lists of gaps, in plans and on pages. */
import { LOST_STATUS } from '../../model/gap-counts.js';
import { AFTER_GAPS_OF_COPY } from './caveats/after-gaps.js';

const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['expired', 'the link was too old when it was fetched; an export asks for a new one'],
  ['missing', 'the file host does not have the file; an export looks again'],
  [
    'forbidden',
    'its host refuses fresh URLs, too; ask who runs it whether this network, or the proxy, may read it',
  ],
  ['rejected', 'the address or the content cannot be right; the reason says why'],
  [
    'unresolved',
    'no web address to fetch it from; where there is only a path: export --storage-base-url URL',
  ],
  ['failed', 'no answer, or an error; the next export tries again'],
  ['not_fetched', 'of a kind that is not fetched; export --accept-unfetched KIND accepts the kind'],
  ['refused', 'the service does not let this API key read it'],
  ['incomplete', 'not read to the end, or less came than was announced; the next export reads on'],
  ['doubtful', 'read, but not proven to be right; the next export compares it again'],
  [
    LOST_STATUS,
    'the archive had it; a copy of the archive, or jobvault verify --repair, may bring it back',
  ],
]);

/** Empty of a status that nobody knows. */
export function meaningOfStatus(status: string): string {
  return MEANINGS.get(status) ?? '';
}

/** @param gap.isAbsent whether its conversation is no longer at the service */
export function meaningOfGap(
  { status, isAbsent = false }: { readonly status: string; readonly isAbsent?: boolean },
  isCopy: boolean,
): string {
  if (isCopy) return AFTER_GAPS_OF_COPY;
  // what is lost was archived: the service is not asked for it
  if (isAbsent && status !== LOST_STATUS) {
    return 'its conversation is no longer at the service, and no export reads it again';
  }
  return meaningOfStatus(status);
}
