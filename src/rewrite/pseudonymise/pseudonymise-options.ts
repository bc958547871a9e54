/** What a pseudonymised copy is asked for, and what is told of it. */
import type { RequestRecord } from '../../archive/log/request-history.js';
import type { OtherSpelling } from '../../archive/reading/users/listed-again.js';
import type { GivenScope } from '../../archive/reading/scope.js';
import type { Made } from '../../making/made.js';
import type { SearchChoice } from '../../search/search-choice.js';
import type { StorageOptions } from '../../storage/open-storage.js';

export interface PseudonymiseChoices {
  /** At least 32 bytes; never written. The same key gives the same digests in another copy. */
  readonly key: Uint8Array;
  /** Whether questions, answers, code and names of files stay as they are. Default: they are dropped. */
  readonly keepText?: boolean | undefined;
  /** Whether times of questions stay as they are. Default: they become days. */
  readonly keepTimes?: boolean | undefined;
  /** How to access the target. Default: as the archive. */
  readonly storage?: StorageOptions | undefined;
}

/** The part of an archive that a copy for a request has. */
export interface PseudonymisedPart {
  readonly request: RequestRecord;
  /** Its users, words and period. */
  readonly choice: SearchChoice & GivenScope;
}

export interface PseudonymiseOptions extends Omit<PseudonymiseChoices, 'storage'> {
  /** Default: all of the archive. */
  readonly part?: PseudonymisedPart | undefined;
  readonly signal: AbortSignal;
}

/** How whole it is, as the answer to its request; all of the archive is copied as it is. */
export interface PseudonymiseSummary extends Omit<Made, 'artifacts' | 'bytes' | 'head'> {
  readonly archive: string;
  readonly target: string;
  /** Number of the newest commit of the archive that is in the copy; 0 if the log is empty. */
  readonly through: number;
  /** How many commits the copy's own log has. */
  readonly commits: number;
  readonly rows: number;
  readonly texts: 'dropped' | 'kept';
  readonly times: 'days' | 'kept';
  /** Questions that decisions of the request leave out, or show without their texts. */
  readonly withheld: number;
  readonly redacted: number;
  /** Users of the archive who are spellings of one whom the request names: nothing of them is in the copy. */
  readonly other_spellings: readonly OtherSpelling[];
  /** The digest of the newest commit of the copy's log, and so of all that is in it. */
  readonly digest: string;
  readonly duration_ms: number;
}
