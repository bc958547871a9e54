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
  'work',
  'drill',
  'suppress',
  'retention',
  'snapshot',
] as const;
/**
 * `export`: what a run archived. `prune`: sessions deleted from the service. `compact`: small files merged. `erase`: rows
 * removed permanently, in two commits. `abandon`: dead runs that may not commit any more. `hold`: holds set or released.
 * `accept`: gaps that somebody accepts. `request`: what somebody asked for, what was decided about it, and holds released with
 * it. `work`: what was searched or made for a request. `drill`: the archive was restored from itself. `suppress`: whom exports
 * skip, or skip no more. `retention`: how long everything is kept at least. `snapshot`: where one of the log is.
 */
export type CommitKind = (typeof COMMIT_KINDS)[number];

interface Held {
  readonly number: number;
  readonly kind: CommitKind;
  readonly files: readonly unknown[];
  readonly removed: readonly unknown[];
  readonly artifacts?: unknown;
  readonly sessions: readonly unknown[];
  readonly jobs: unknown;
  readonly deletions: readonly unknown[];
  readonly abandoned: readonly unknown[];
  readonly users: unknown;
  readonly erasure?: unknown;
  readonly holds?: readonly unknown[] | undefined;
  readonly accepted?: readonly unknown[] | undefined;
  readonly accepted_images?: readonly unknown[] | undefined;
  readonly requests?: readonly { readonly action: string }[] | undefined;
  readonly drill?: { readonly commit: number } | undefined;
  readonly suppressions?: readonly unknown[] | undefined;
  readonly retention?: unknown;
  readonly snapshot?: unknown;
}

const HOLDINGS: Readonly<Record<CommitKind, readonly (keyof Held)[]>> = {
  export: ['files', 'artifacts', 'sessions', 'jobs', 'users', 'suppressions'],
  prune: ['files', 'deletions'],
  compact: ['files', 'removed'],
  erase: ['files', 'removed', 'sessions', 'erasure', 'suppressions'],
  abandon: ['abandoned'],
  hold: ['holds'],
  accept: ['accepted', 'accepted_images'],
  request: ['requests', 'holds'],
  work: ['requests'],
  drill: ['drill'],
  suppress: ['suppressions'],
  retention: ['retention'],
  snapshot: ['snapshot'],
};

/** What the commit must not contain, or lacks, for its kind; undefined if it is right. */
export function kindProblem(commit: Held): string | undefined {
  const { kind, files, removed, sessions, jobs, deletions, abandoned, users } = commit;
  if (kind === 'erase' && commit.erasure === undefined) return 'it has no erasure';
  if (kind === 'drill' && commit.drill === undefined) return 'it has no drill';
  if (commit.drill && commit.drill.commit >= commit.number) {
    return 'its drill is of a commit that was not yet there';
  }
  if (kind === 'snapshot' && commit.snapshot === undefined) return 'it has no snapshot';
  const isAsItsKind = ({ action }: { readonly action: string }): boolean =>
    (action === 'search' || action === 'pack') === (kind === 'work');
  if (!(commit.requests ?? []).every(isAsItsKind)) {
    return `its entries of requests are not those of its kind, ${kind}`;
  }
  const held = Object.entries({
    files,
    removed,
    artifacts: commit.artifacts === undefined ? [] : [commit.artifacts],
    sessions,
    deletions,
    abandoned,
    jobs: jobs === null ? [] : [jobs],
    users: users === null ? [] : [users],
    erasure: commit.erasure === undefined ? [] : [commit.erasure],
    holds: commit.holds ?? [],
    accepted: commit.accepted ?? [],
    accepted_images: commit.accepted_images ?? [],
    requests: commit.requests ?? [],
    drill: commit.drill === undefined ? [] : [commit.drill],
    suppressions: commit.suppressions ?? [],
    retention: commit.retention === undefined ? [] : [commit.retention],
    snapshot: commit.snapshot === undefined ? [] : [commit.snapshot],
  });
  const allowed: readonly string[] = HOLDINGS[kind];
  const misplaced = held.find(([name, list]) => list.length > 0 && !allowed.includes(name));
  return misplaced && `a commit of kind ${kind} may not hold ${misplaced[0]}`;
}

/**
 * Whether nothing that is told of what is archived is otherwise after the commit: it only notes that something was searched,
 * made or tried.
 */
export function isOnlyNote({ kind }: { readonly kind: CommitKind }): boolean {
  return kind === 'work' || kind === 'drill' || kind === 'snapshot';
}

/** Whether the commit's files hold rows that other commits wrote. */
export function isRewrite({ kind }: { readonly kind: CommitKind }): boolean {
  return kind === 'compact' || kind === 'erase';
}
