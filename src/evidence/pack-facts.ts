/** What a pack says of itself: in README.txt, on its page and in its summary. */
import type { ArchiveIdentity } from '../archive/identity.js';
import type { Caveat } from '../archive/reading/caveats/caveat.js';
import type { Making, ProductRequest } from '../making/making.js';
import type { PackSigner } from './pack-checks.js';
import type { CommitCounts, ExampleCommit } from './pack-log.js';
import type { Packed } from './packed.js';
import type { PackSearchStatement } from './search-statement.js';

export interface PackFacts {
  readonly identity: ArchiveIdentity;
  readonly making: Making;
  readonly packed: Packed;
  readonly commits: CommitCounts;
  /** Signed, if any whole one is; undefined where none is whole. */
  readonly example: ExampleCommit | undefined;
  readonly areSigned: boolean;
  /** As whoever gets the pack is told them. */
  readonly caveats: readonly Caveat[];
  /** ISO 8601 */
  readonly madeAt: string;
  readonly tool: string;
  readonly search: PackSearchStatement | null;
  readonly request: ProductRequest | undefined;
  /** Who hands the pack over. */
  readonly organization: string | undefined;
  /** Who has made it; undefined: nobody is named. */
  readonly by: string | undefined;
  readonly signer: PackSigner | undefined;
  /** Hosts of the time-stamp authorities that are asked. */
  readonly authorities: readonly string[];
}
