import { randomBytes } from 'node:crypto';

/** Randomness; tests replace it by a seeded one. */
export interface Random {
  /** Uniform in [0, 1). */
  fraction(): number;
  bytes(length: number): Uint8Array;
}

/** The machine's own source of randomness. */
export const systemRandom: Random = {
  fraction: () => Math.random(),
  bytes: (length) => randomBytes(length),
};
