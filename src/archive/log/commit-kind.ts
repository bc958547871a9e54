/** The kinds of commits, and what each may contain. */

export const COMMIT_KINDS = [
  'export',
  'prune',
  'compact',
  'erase',
  'abandon',
  'hold',
  'accept',
  'request',
  'drill',
  'snapshot',
] as const;
/**
 * `export`: what a run archived. `prune`: sessions deleted from the service. `compact`: small files
 * merged. `erase`: rows removed permanently, in two commits. `abandon`: dead runs that may not commit any
 * more. `hold`: holds set or released. `accept`: gaps that somebody accepts. `request`: what
 * somebody asked for, what was done for it, and holds released with it. `drill`: the archive was
 * restored from itself. `snapshot`: where one of the log is.
 */
export type CommitKind = (typeof COMMIT_KINDS)[number];

interface Held {
  readonly number: number;
  readonly kind: CommitKind;
  readonly files: readonly unknown[];
  readonly removed: readonly unknown[];
  readonly artifacts: readonly unknown[];
  readonly sessions: readonly unknown[];
  readonly jobs: unknown;
  readonly deletions: readonly unknown[];
  readonly abandoned: readonly unknown[];
  readonly users: unknown;
  readonly erasure?: unknown;
  readonly holds?: readonly unknown[] | undefined;
  readonly accepted?: readonly unknown[] | undefined;
  readonly requests?: readonly unknown[] | undefined;
  readonly drill?: { readonly commit: number } | undefined;
  readonly snapshot?: unknown;
}

const HOLDINGS: Readonly<Record<CommitKind, readonly (keyof Held)[]>> = {
  export: ['files', 'artifacts', 'sessions', 'jobs', 'users'],
  prune: ['files', 'deletions'],
  compact: ['files', 'removed'],
  erase: ['files', 'removed', 'sessions', 'erasure'],
  abandon: ['abandoned'],
  hold: ['holds'],
  accept: ['accepted'],
  request: ['requests', 'holds'],
  drill: ['drill'],
  snapshot: ['snapshot'],
};

/** What the commit must not contain, or lacks, for its kind; undefined if it is right. */
export function kindProblem(commit: Held): string | undefined {
  const { kind, files, removed, artifacts, sessions, jobs, deletions, abandoned, users } = commit;
  if (kind === 'erase' && commit.erasure === undefined) return 'it has no erasure';
  if (kind === 'drill' && commit.drill === undefined) return 'it has no drill';
  if (commit.drill && commit.drill.commit >= commit.number) {
    return 'its drill is of a commit that was not yet there';
  }
  if (kind === 'snapshot' && commit.snapshot === undefined) return 'it has no snapshot';
  const held = Object.entries({
    files,
    removed,
    artifacts,
    sessions,
    deletions,
    abandoned,
    jobs: jobs === null ? [] : [jobs],
    users: users === null ? [] : [users],
    erasure: commit.erasure === undefined ? [] : [commit.erasure],
    holds: commit.holds ?? [],
    accepted: commit.accepted ?? [],
    requests: commit.requests ?? [],
    drill: commit.drill === undefined ? [] : [commit.drill],
    snapshot: commit.snapshot === undefined ? [] : [commit.snapshot],
  });
  const allowed: readonly string[] = HOLDINGS[kind];
  const misplaced = held.find(([name, list]) => list.length > 0 && !allowed.includes(name));
  return misplaced && `a commit of kind ${kind} may not hold ${misplaced[0]}`;
}

/** Whether the commit's files hold rows that other commits wrote. */
export function isRewrite({ kind }: { readonly kind: CommitKind }): boolean {
  return kind === 'compact' || kind === 'erase';
}
