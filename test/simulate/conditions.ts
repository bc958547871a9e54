/** What a seed's world is like, drawn once at its beginning. */
import type { Random } from '../../src/base/random.js';
import type { ListingOrder } from './sim-service.js';

/** Which runs there are most of. */
export type Theme = 'mixed' | 'deleting' | 'rewriting' | 'holding';

export interface Conditions {
  readonly theme: Theme;
  /** How likely it is that time jumps to the next timer although something could go on. */
  readonly jump: number;
  /** How likely it is that the process that went on last goes on. */
  readonly sticky: number;
  /** The most that a step takes. */
  readonly stepMs: number;
  readonly order: ListingOrder;
  readonly pageCap: number;
  readonly pageSize: number;
  readonly urlLifeMs: number;
  /** A parameter that nobody knows is in every file URL, and differs with every read. */
  readonly hasChangingUrls: boolean;
  /** Answers change also long after they were given. */
  readonly editsOld: boolean;
  /** Of requests, those that are refused, and as many that are carried out and not answered. */
  readonly networkFailures: number;
  /** Of writes, those that fail. */
  readonly storageFailures: number;
  readonly checkpointBytes: number;
  readonly leaseTermMs: number;
  /** Leases are a courtesy: whoever asks for one gets it, and the log alone keeps order. */
  readonly hasWeakLeases: boolean;
  /** Some who live are taken for dead, as by a machine that cannot see all processes: the log refuses them. */
  readonly hasFalseDeaths: boolean;
  /** A disk that forgets what was not synced; else a bucket. */
  readonly isDisk: boolean;
  readonly isSigned: boolean;
  readonly users: number;
  /** How likely it is that a session which the service still has may be erased from the archive. */
  readonly erasesLiving: number;
  /** A session is on hold. */
  readonly hasHold: boolean;
  /** What comes about at each step: somebody does something, a process is killed, the power goes. */
  readonly peopleRate: number;
  readonly killRate: number;
  readonly powerRate: number;
  /** There is an archive before the disturbances begin. */
  readonly hasArchive: boolean;
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
  };
}
