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

const HOLDINGS = {
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
} as const satisfies Readonly<Record<CommitKind, readonly string[]>>;

type Holding = (typeof HOLDINGS)[CommitKind][number];

const EVERY_HOLDING: readonly Holding[] = [...new Set(Object.values(HOLDINGS).flat())];

interface Held extends Readonly<Partial<Record<Holding, unknown>>> {
  readonly number: number;
  readonly kind: CommitKind;
  readonly requests?: readonly { readonly action: string }[] | undefined;
  readonly drill?: { readonly commit: number } | undefined;
}

/** What the commit must not contain, or lacks, for its kind; undefined if it is right. */
export function kindProblem(commit: Held): string | undefined {
  const { kind } = commit;
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
  const allowed: readonly Holding[] = HOLDINGS[kind];
  const misplaced = EVERY_HOLDING.find(
    (name) => !isNothing(commit[name]) && !allowed.includes(name),
  );
  return misplaced && `a commit of kind ${kind} may not hold ${misplaced}`;
}

function isNothing(held: unknown): boolean {
  return held == null || (Array.isArray(held) && held.length === 0);
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
