/** What a reader of the report can do about a gap. */
import { UNDATED_GAP } from '../search/search-facts.js';

const AGAIN = 'run jobvault export --retry-gaps';

/** By the status of the gap; for others a general word. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['expired', `The file's URL had expired: ${AGAIN}, which reads a new URL first.`],
  ['missing', `The file host no longer has the file: ${AGAIN}; if it stays missing, it is lost.`],
  ['rejected', `Something came that was not the file: read the reason, then ${AGAIN}.`],
  ['unresolved', 'The record names no URL: see whether export needs --storage-base-url.'],
  ['failed', `The service or the file host failed: ${AGAIN}.`],
  ['not_fetched', 'jobvault does not fetch files of this kind: fetch it from its address by hand.'],
  [
    'doubtful',
    'The stored file could not be compared with the service: run jobvault export again.',
  ],
  ['refused', 'The service refused this: see whether the API key may read it, then export again.'],
  ['incomplete', 'Run jobvault export again: it goes on where the last run ended.'],
  [
    UNDATED_GAP.status,
    'Make this again with --undated include, or exclude if they may be left out.',
  ],
  [
    'user not listed',
    'Run jobvault export again; if it fails again, see whether the user id is right.',
  ],
]);

export function adviceOn(status: string): string {
  return ADVICE.get(status) ?? 'Run jobvault export again, and look at the reason.';
}
