/**
 * What an erasure has still to do once its receipt stands, written down before: whoever finds it can
 * finish it without knowing what was erased. Lies under `_erasures/<id>/` until it is done.
 */
import { z } from 'zod';
import { parseJson } from '../../base/parse-json.js';
import type { RunId } from '../../model/ids.js';
import { ObjectNotFoundError } from '../../storage/object-not-found-error.js';
import type { Storage } from '../../storage/storage.js';
import { listOwn } from '../../archive/foreign-files.js';
import { IntegrityError } from '../../archive/verify/integrity-error.js';
import {
  manifestNumberOf,
  ERASURES_PREFIX,
  isContent,
  isIntentPath,
  isChecksPath,
  isPart,
  isStatePath,
  isUserLeasePath,
  originalOfQuarantined,
  originalOfRetired,
} from '../../archive/paths.js';

const state = pathOf((path) => isStatePath(path) || isChecksPath(path));
const manifest = pathOf((path) => manifestNumberOf(path) !== undefined);
const aside = pathOf(
  (path) =>
    isIntentPath(path) ||
    originalOfRetired(path) !== undefined ||
    originalOfQuarantined(path) !== undefined,
);

/** Somebody else may have written the plan: it can name nothing but what an erasure may touch. */
const planSchema = z.strictObject({
  format: z.literal(1),
  /** Caches of what is erased: they go before any commit changes. */
  states: z.array(state),
  /** Commits that are replaced, and which list of jobs goes with each. */
  commits: z.array(
    z
      .strictObject({
        number: z.int().positive(),
        jobs: manifest.nullable(),
        oldJobs: manifest.nullable(),
      })
      .refine(({ number, jobs, oldJobs }) =>
        [jobs, oldJobs].every((path) => path === null || manifestNumberOf(path) === number),
      ),
  ),
  /** Part files and workbooks that were replaced. */
  replaced: z.array(pathOf(isPart)),
  /** How long these may still be read, in milliseconds. */
  graceMs: z.int().nonnegative(),
  /** Intents, and what was retired, was to be, or was in quarantine: goes when every commit is replaced. */
  doomed: z.array(aside),
  /** Of those who are erased: their names tell of whom, so they go when all is done. */
  leases: z.array(pathOf(isUserLeasePath)),
  /**
   * Artifacts that nobody but the erased has named, and content that no commit has named, when the erasure
   * was planned. Once the receipt stands no commit can name them: see `archive/parts/artifact-places.ts`.
   */
  unnamed: z.array(pathOf(isContent)),
});

export type ErasurePlan = z.infer<typeof planSchema>;

/** @param id that of the run whose erasure it is: nobody else touches it while that run lives */
export function planPath(id: RunId): string {
  return `${ERASURES_PREFIX}${id}/plan.json`;
}

/** What is left of a commit. */
export function redactedPath(id: RunId, number: number): string {
  return `${ERASURES_PREFIX}${id}/${number}.json`;
}

/** What is left of its list of jobs. */
export function redactedJobsPath(id: RunId, number: number): string {
  return `${ERASURES_PREFIX}${id}/${number}.jobs.jsonl.gz`;
}

export async function writePlan(storage: Storage, id: RunId, plan: ErasurePlan): Promise<void> {
  await storage.put(planPath(id), Buffer.from(`${JSON.stringify(planSchema.parse(plan))}\n`));
}

/** Undefined where somebody else has just finished it. @throws {IntegrityError} it does not read as one */
export async function readPlan(storage: Storage, id: RunId): Promise<ErasurePlan | undefined> {
  try {
    return planSchema.parse(parseJson(Buffer.from(await storage.get(planPath(id))).toString()));
  } catch (cause) {
    if (cause instanceof ObjectNotFoundError) return undefined;
    if (!(cause instanceof SyntaxError || cause instanceof z.ZodError)) throw cause;
    const detail = 'is damaged: it does not tell what the erasure has still to do';
    throw new IntegrityError(planPath(id), 'unreadable', detail, { cause });
  }
}

/** The plan goes last: as long as it is there, what it names is found again. */
export async function removePlan(storage: Storage, id: RunId): Promise<void> {
  const last = planPath(id);
  for await (const object of listOwn(storage, `${ERASURES_PREFIX}${id}/`)) {
    if (object.path !== last) await storage.delete(object.path);
  }
  await storage.delete(last);
}

function pathOf(isAllowed: (path: string) => boolean): z.ZodString {
  return z.string().refine(isAllowed, 'no path that an erasure may touch');
}
