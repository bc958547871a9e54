/** What a reader of the report can do about a gap. */
import { AFTER_GAPS_OF_COPY } from '../archive/reading/caveats/after-gaps.js';
import { LOST_STATUS } from '../model/gap-counts.js';
import { UNDATED_STATUS } from '../search/search-facts.js';

const AGAIN = 'run jobvault export --retry-gaps';

/** By the status of the gap; for others a general word. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['expired', `The file's URL had expired: ${AGAIN}, which reads a new URL first.`],
  [
    'forbidden',
    `The file host refuses fresh URLs, too: ask who runs it whether this network, or the proxy, may read it, then ${AGAIN}.`,
  ],
  ['missing', `The file host no longer has the file: ${AGAIN}; if it stays missing, it is lost.`],
  ['rejected', `Something came that was not the file: read the reason, then ${AGAIN}.`],
  ['unresolved', 'The record names no URL: see whether export needs --storage-base-url.'],
  ['failed', `The service or the file host failed: ${AGAIN}.`],
  ['not_fetched', 'jobvault does not fetch files of this kind: fetch it from its address by hand.'],
  [
    'doubtful',
    'The stored file could not be compared with the service: run jobvault export again.',
  ],
  [
    LOST_STATUS,
    'The archive had it: see whether a copy of the archive, or jobvault verify --repair, brings it back.',
  ],
  ['refused', 'The service refused this: see whether the API key may read it, then export again.'],
  ['incomplete', 'Run jobvault export again: it goes on where the last run ended.'],
  [UNDATED_STATUS, 'Whoever makes this decides whether it is taken in, or may be left out.'],
  [
    'user not listed',
    'Run jobvault export again; if it fails again, see whether the user id is right.',
  ],
]);

/** The advice about a job of unknown date that nobody asks about again. */
export const EXCLUDED_ADVICE = 'Whoever made this decided to leave it out; it is in the archive.';

const DOUBTED_HISTORY =
  'Run jobvault export again: it reads the history whole; the doubt ends when the service tells, or somebody accepts it.';

/** @param isCopy whether it is a pseudonymised copy */
export function adviceOn(status: string, isCopy: boolean, { isOfSession = false } = {}): string {
  if (isCopy && status !== UNDATED_STATUS) return AFTER_GAPS_OF_COPY;
  if (isOfSession && status === 'doubtful') return DOUBTED_HISTORY;
  return ADVICE.get(status) ?? 'Run jobvault export again, and look at the reason.';
}
