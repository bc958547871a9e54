/**
 * A plan as a file: what was shown to somebody, to be carried out later and checked afresh then. Nothing proves who
 * wrote it: an entry allows no more than its rules, the log and the holds do.
 */
import { z } from 'zod';
import type { Archive } from '../../archive/archive.js';
import { IntegrityError } from '../../archive/archive-errors.js';
import type { ArchiveIdentity } from '../../archive/identity.js';
import { Holds } from '../../archive/holds/holds.js';
import { parseJson } from '../../base/text/parse-json.js';
import { formatDuration } from '../../base/units.js';
import { UsageError } from '../../base/error.js';
import type { PruneRules } from '../prune-rules.js';
import type { PruneSummary } from '../prune-summary.js';

const planSchema = z.strictObject({
  jobvault_prune_plan: z.literal(1),
  /** The archive's own id. */
  archive: z.string(),
  base_url: z.string(),
  created_at: z.iso.datetime(),
  /** The newest commit then; null before the first. */
  head: z.strictObject({ number: z.int().positive(), digest: z.string() }).nullable(),
  rules: z.strictObject({
    /** Only these users, and only these sessions; all when empty. */
    users: z.array(z.string()),
    sessions: z.array(z.string()),
    older_than_ms: z.number().positive().nullable(),
    keep: z.int().nonnegative().nullable(),
    free_slots: z.int().positive().nullable(),
  }),
  /** What stays; they bind whoever carries the plan out. */
  holds: z.array(
    z.strictObject({
      id: z.string().optional(),
      user: z.string().optional(),
      session: z.string().optional(),
    }),
  ),
  /** What goes, if the rules still select it. Whoever reviews a plan may take some out. */
  sessions: z.array(
    z.strictObject({
      user: z.string(),
      session: z.string(),
      /** Where it was archived when the plan was made. */
      commit: z.int().positive(),
      jobs: z.int().nonnegative(),
    }),
  ),
});

export type SavedPlan = z.infer<typeof planSchema>;

const LIFETIME_MS = 24 * 3_600_000;

export function savedPlan(
  identity: ArchiveIdentity,
  rules: PruneRules,
  { sessions }: Pick<PruneSummary, 'sessions'>,
  nowMs: number,
  head: SavedPlan['head'] = null,
): SavedPlan {
  return {
    jobvault_prune_plan: 1,
    archive: identity.id,
    base_url: identity.service.base_url,
    created_at: new Date(nowMs).toISOString(),
    head,
    rules: {
      users: [...rules.users],
      sessions: [...rules.sessions],
      older_than_ms: rules.olderThanMs ?? null,
      keep: rules.keep ?? null,
      free_slots: rules.freeSlots ?? null,
    },
    holds: rules.holds.targets.map(({ id, user, session }) => ({
      ...(id === undefined ? {} : { id }),
      ...(user === undefined ? {} : { user }),
      ...(session === undefined ? {} : { session }),
    })),
    sessions: sessions
      .filter(({ outcome }) => outcome === 'planned')
      .map(({ user, session, commit, jobs }) => ({ user, session, commit, jobs })),
  };
}

/** The holds under which the plan was made, for those who carry it out. */
export function holdsOf({ holds }: SavedPlan): Holds {
  return new Holds(
    holds.map((target) => ({ readings: [target], source: 'the plan', isOptional: true })),
  );
}

export function encodePlan(plan: SavedPlan): string {
  return `${JSON.stringify(plan, null, 1)}\n`;
}

/** @throws {UsageError} it is no plan */
export function decodePlan(text: string, name: string): SavedPlan {
  try {
    return planSchema.parse(parseJson(text));
  } catch (cause) {
    const allowed = 'allowed is a file that jobvault prune --save-plan has written';
    throw new UsageError(`${name} does not read as a plan; ${allowed}`, { cause });
  }
}

/** @throws {UsageError} the plan has expired, or is for another archive */
export function assertUsable(plan: SavedPlan, identity: ArchiveIdentity, nowMs: number): void {
  if (plan.archive !== identity.id || plan.base_url !== identity.service.base_url) {
    throw new UsageError('the plan was made for another archive: make one for this archive');
  }
  const ageMs = nowMs - Date.parse(plan.created_at);
  if (Math.abs(ageMs) <= LIFETIME_MS) return;
  const age = ageMs > 0 ? `is ${formatDuration(ageMs)} old` : 'was made in the future';
  throw new UsageError(`the plan ${age}, and a plan expires after 24 hours: make a new one`);
}

/**
 * An archive keeps its id where it is copied or put back from a backup, and its numbers of commits then mean others: what a
 * plan names may be something else here.
 *
 * @throws {UsageError} the newest commit of then is not in this log
 */
export async function assertOfThisLog(
  { head, sessions }: Pick<SavedPlan, 'head' | 'sessions'>,
  { log }: Archive,
): Promise<void> {
  if (sessions.length === 0) return;
  const stands = head && (await log.read(head.number).catch(unlessMissing));
  if (stands && stands.digest === head.digest) return;
  const made = head ? `at its commit ${head.number}` : 'before its first commit';
  throw new UsageError(
    `the plan was made of another state of this archive, ${made}, which is not in this log: make a new one`,
  );
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof IntegrityError) || error.problem !== 'missing') throw error;
}
