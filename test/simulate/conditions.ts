/** The conditions of a seed's world, drawn once at its beginning. */
import type { Random } from '../../src/base/runtime.js';
import type { ListingOrder } from './sim-service.js';
import type { MisreadKind } from './misreads.js';

/** Which kinds of runs are most frequent. */
export type Theme = 'mixed' | 'deleting' | 'rewriting' | 'holding' | 'sweeping';

export interface Conditions {
  readonly theme: Theme;
  /** Probability that time jumps to the next timer although a step is possible. */
  readonly jump: number;
  /** Probability that the process of the last step continues. */
  readonly sticky: number;
  /** The longest duration of a step. */
  readonly stepMs: number;
  readonly order: ListingOrder;
  readonly pageCap: number;
  readonly pageSize: number;
  readonly urlLifeMs: number;
  /** File URLs have an unknown parameter that differs with every read. */
  readonly hasChangingUrls: boolean;
  /** Answers also change long after they were given. */
  readonly editsOld: boolean;
  /** Fraction of requests that are refused, and of those that are executed but not answered. */
  readonly networkFailures: number;
  /** Fraction of writes that fail. */
  readonly storageFailures: number;
  readonly checkpointBytes: number;
  readonly leaseTermMs: number;
  /** Leases are always granted, so that only the log prevents conflicts. */
  readonly hasWeakLeases: boolean;
  /** Some living runs are taken for dead, as by a machine that cannot see all processes: the log must refuse them. */
  readonly hasFalseDeaths: boolean;
  /** A disk that loses unsynced data; otherwise a bucket. */
  readonly isDisk: boolean;
  readonly isSigned: boolean;
  readonly users: number;
  /** Probability that a session that the service still has may be erased from the archive. */
  readonly erasesLiving: number;
  /** A session is on hold. */
  readonly hasHold: boolean;
  /** Probabilities at each step: a user acts, a process is killed, the power fails. */
  readonly peopleRate: number;
  readonly killRate: number;
  readonly powerRate: number;
  /** Whether there is an archive before the disturbances begin. */
  readonly hasArchive: boolean;
  /** Probability at each step that a cache begins to answer a session with another history. */
  readonly misreadRate: number;
  /** With whose. */
  readonly misreads: readonly MisreadKind[];
  /** Fraction of reads that a shared cache answers from its memory, and says so. */
  readonly cachedReads: number;
  /** Fraction of an export's users that a queue loses. Null: exports get their users from no queue. */
  readonly queueLosses: number | null;
  /** Fraction of files that are sent without a length, half of them cut off. */
  readonly unendedFiles: number;
  /** Runs ask for users in one of two spellings, and the service takes both. */
  readonly hasSpellings: boolean;
  /** A user is on hold, in a spelling of their own. */
  readonly holdsSpelling: boolean;
  /** After how many commits an export writes a snapshot of the log. Null: as outside, which is never here. */
  readonly snapshotCommits: number | null;
  /** Fraction of the snapshots that are cut, or lost, before their commit. */
  readonly tornSnapshots: number;
  /** Tables are Parquet, and have Delta logs. */
  readonly hasDelta: boolean;
  /** Probability that a new file has the bytes of one that another job has; above 0 every job has a file. */
  readonly sharesFiles: number;
}

export function drawnConditions(random: Random): Conditions {
  const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random.fraction() * items.length)]!;
  const isSo = (probability: number): boolean => random.fraction() < probability;
  return {
    theme: oneOf<Theme>(['mixed', 'deleting', 'rewriting']),
    jump: oneOf([0, 0.002, 0.02]),
    sticky: oneOf([0, 0.5, 0.9]),
    stepMs: oneOf([1, 10, 100, 1000]),
    order: oneOf<ListingOrder>(['oldest first', 'newest first', 'last changed first']),
    pageCap: oneOf([2, 3, 100]),
    pageSize: oneOf([2, 100]),
    urlLifeMs: oneOf([20_000, 600_000]),
    editsOld: isSo(0.3),
    networkFailures: oneOf([0, 0, 0.02, 0.1]),
    storageFailures: oneOf([0, 0, 0, 0.004]),
    checkpointBytes: oneOf([1, 2000, 128e6]),
    leaseTermMs: oneOf([3000, 30_000]),
    hasWeakLeases: isSo(0.3),
    hasFalseDeaths: isSo(0.15),
    isDisk: isSo(0.6),
    isSigned: isSo(0.2),
    users: oneOf([1, 2]),
    hasHold: isSo(0.5),
    peopleRate: oneOf([0.005, 0.02, 0.05]),
    killRate: oneOf([0, 0.001, 0.005]),
    powerRate: oneOf([0, 0.0005, 0.002]),
    hasArchive: isSo(0.7),
    hasChangingUrls: isSo(0.2),
    erasesLiving: 0.4,
    // new draws come last: what a seed draws before stays as it was
    misreadRate: oneOf([0, 0, 0.002, 0.01]),
    cachedReads: oneOf([0, 0, 0.02, 0.2]),
    queueLosses: oneOf([null, null, 0, 0.5]),
    unendedFiles: oneOf([0, 0, 0.02, 0.2]),
    hasSpellings: isSo(0.3),
    holdsSpelling: isSo(0.15),
    misreads: oneOf<readonly MisreadKind[]>([
      ['another'],
      ['empty'],
      ['swapped'],
      ['another', 'empty', 'swapped'],
    ]),
    snapshotCommits: oneOf([null, 1, 1, 4]),
    ...lastDrawn(random.fraction()),
  };
}

function lastDrawn(last: number): Pick<Conditions, 'tornSnapshots' | 'hasDelta' | 'sharesFiles'> {
  return {
    tornSnapshots: last < 0.5 ? 0 : 0.2,
    // of the same draw, so that what a seed does without Delta logs stays as it was
    hasDelta: (last * 64) % 1 < 0.35,
    // likewise
    sharesFiles: (last * 4096) % 1 < 0.3 ? 0.5 : 0,
  };
}
