import { randomBytes } from 'node:crypto';

/** Randomness as the rest of the code sees it, so that tests can seed it. */
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
