/** What a bench program prints: one line of JSON for each row of the table. */
import { parseArgs } from 'node:util';

/** One round: ours, and right beside it the peer's; null where the goal is a number of its own. */
export interface Run {
  readonly ours: number;
  readonly peer: number | null;
}

/** Medians of the runs. */
export interface Measured extends Run {
  /** As `rows.ts` has it. */
  readonly row: string;
  readonly unit: string;
  readonly ratio: number | null;
  readonly runs: readonly Run[];
}

export interface NotMeasured {
  readonly row: string;
  readonly skipped: string;
}

export type Line = Measured | NotMeasured;

export function printRow(row: string, unit: string, runs: readonly Run[]): void {
  const ours = median(runs.map((run) => run.ours));
  const peers = runs.flatMap(({ peer }) => (peer === null ? [] : [peer]));
  const peer = peers.length === runs.length ? median(peers) : null;
  const ratio = peer === null ? null : ours / peer;
  print({ row, unit, ours, peer, ratio, runs });
}

export function skipRow(row: string, skipped: string): void {
  print({ row, skipped });
}

function print(line: Line): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (low === undefined || high === undefined) throw new Error('nothing was measured');
  return (low + high) / 2;
}

/** The flags that every bench program takes, and those of its own. */
export interface BenchFlags {
  readonly rounds: number;
  /** Small sizes: whether it works, not how fast it is. */
  readonly isQuick: boolean;
  /** Whether a row of this name is asked for. */
  readonly wants: (row: string) => boolean;
  readonly own: Readonly<Record<string, string | undefined>>;
}

/** @param own names of flags that take a value */
export function benchFlags(own: readonly string[] = []): BenchFlags {
  const { values } = parseArgs({
    options: {
      ...Object.fromEntries(
        ['rounds', 'only', ...own].map((name) => [name, { type: 'string' as const }]),
      ),
      quick: { type: 'boolean' },
    },
  });
  const { quick, ...texts } = values;
  const flags = texts as Readonly<Record<string, string | undefined>>;
  const rounds = Number(flags['rounds'] ?? 5);
  if (!Number.isSafeInteger(rounds) || rounds < 1) {
    throw new Error(`--rounds is ${flags['rounds']}; allowed is a whole number from 1`);
  }
  const only = flags['only']?.split(',');
  return {
    rounds,
    isQuick: quick === true,
    wants: (row) => only?.includes(row) ?? true,
    own: flags,
  };
}

/** Does something so often, one after the other, and collects what it gives. */
export async function collect<T>(count: number, once: (round: number) => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let round = 0; round < count; round++) all.push(await once(round));
  return all;
}
