/** The exit codes, and which one a failure has. */
import { type FailureKind, failureOf } from '../base/error.js';
import { hasGaps } from '../export/export-summary.js';
import { isOfHistory } from '../export/jobs/gap.js';
import type { ExportResult } from '../export/run-tally.js';
import type { PruneResult } from '../prune/run-prune.js';

export const EXIT = {
  complete: 0,
  unexpected: 1,
  usage: 2,
  gaps: 3,
  doubtful: 3,
  integrity: 4,
  unreachable: 5,
  authentication: 6,
  refused: 7,
  locked: 8,
  storage: 9,
} as const satisfies Record<FailureKind | 'complete' | 'gaps', number>;

/** Where several apply, the first of these wins. */
const PRECEDENCE = [
  ...(['integrity', 'authentication', 'storage', 'unreachable', 'refused'] as const),
  ...(['locked', 'usage', 'doubtful', 'unexpected'] as const),
];

/** `6, authentication`; of a code that is none of ours the number alone. */
export function exitCodeWords(exitCode: number): string {
  const [word] = Object.entries(EXIT).find(([, code]) => code === exitCode) ?? [];
  const meaning = exitCode === 130 || exitCode === 143 ? 'interrupted' : word;
  return meaning === undefined ? String(exitCode) : `${exitCode}, ${meaning}`;
}

export function exitCodeOfError(error: unknown): number {
  return EXIT[failureOf(error)];
}

/** @param pruned the result of `--delete-archived` */
export function exitCodeOfExport(
  { summary, error, failures }: ExportResult,
  pruned?: PruneResult,
): number {
  const kinds = new Set<FailureKind>(failures);
  // a refused user is a gap, unless all users are refused; a shard may have no users
  const refused = summary.gaps.filter(
    (gap) => isOfHistory(gap) && gap.session === null && gap.status === 'refused',
  );
  const isEveryoneRefused = refused.length > 0 && refused.length === summary.users.total;
  if (!isEveryoneRefused) kinds.delete('authentication');
  // a failure of a single user or session is a gap
  kinds.delete('unexpected');
  kinds.delete('usage');
  if (error !== undefined) kinds.add(failureOf(error));
  for (const kind of pruned ? kindsOfPrune(pruned) : []) kinds.add(kind);
  return exitCodeOfKinds(kinds, hasGaps(summary) ? EXIT.gaps : EXIT.complete);
}

/** The exit code of several failures. @param without that of no failure */
export function exitCodeOfKinds(
  kinds: ReadonlySet<FailureKind>,
  without: number = EXIT.complete,
): number {
  const worst = PRECEDENCE.find((kind) => kinds.has(kind));
  return worst === undefined ? without : EXIT[worst];
}

export function exitCodeOfPrune(result: PruneResult): number {
  return exitCodeOfKinds(kindsOfPrune(result));
}

function kindsOfPrune({ summary, error, failures }: PruneResult): Set<FailureKind> {
  const kinds = new Set<FailureKind>(failures);
  if (summary.deletions.refused > 0 || summary.status === 'declined') kinds.add('refused');
  if (error !== undefined) kinds.add(failureOf(error));
  return kinds;
}
