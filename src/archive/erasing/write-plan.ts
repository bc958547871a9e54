/**
 * The plan of an erasure: the steps after its receipt. It is written before the receipt, under `_erasures/<id>/`, so that
 * any run can finish the erasure without knowing what was erased.
 */
import { IntegrityError } from '../archive-errors.js';
import { type RunId } from '../../model/ids.js';
import { z } from 'zod';
import { parseJson } from '../../base/text/parse-json.js';
import { ObjectNotFoundError } from '../../storage/storage-errors.js';
import { type Storage } from '../../storage/storage.js';
import { deleteObjects } from '../../storage/small-objects.js';
import { listOwn } from '../objects/unnamed-objects.js';
import {
  manifestOf,
  ERASURES_PREFIX,
  isIntentPath,
  isQueuedUsersPath,
  isPart,
  isUserLeasePath,
  originalOfQuarantined,
  planPath,
} from '../paths.js';

const jobs = pathOf((path) => manifestOf(path)?.name === 'jobs').nullable();
const users = pathOf((path) => manifestOf(path)?.name === 'users').nullable();
const aside = pathOf(
  (path) =>
    isIntentPath(path) ||
    isQueuedUsersPath(path) ||
    originalOfQuarantined(path) !== undefined ||
    isPart(path),
);

/** A plan may be forged: it may only name paths that an erasure may touch. */
const planSchema = z.strictObject({
  format: z.literal(1),
  /** Commits that are replaced, with their new and old manifests. */
  commits: z.array(
    z
      .strictObject({
        number: z.int().positive(),
        jobs,
        oldJobs: jobs,
        users,
        oldUsers: users,
      })
      .refine(({ number, ...paths }) =>
        Object.values(paths).every((path) => path === null || manifestOf(path)?.number === number),
      ),
  ),
  /** Part files that were replaced. */
  replaced: z.array(pathOf(isPart)),
  /**
   * Intents, users on a queue, what is in quarantine, and part files that earlier rewrites have replaced: deleted after
   * the commits are replaced.
   */
  doomed: z.array(aside),
  /** Leases on the erased users: deleted at the end, because their paths identify the users. */
  leases: z.array(pathOf(isUserLeasePath)),
  /** Part files that no commit had named when the erasure was planned. After the receipt none can. */
  unnamed: z.array(pathOf(isPart)),
});

export type ErasurePlan = z.infer<typeof planSchema>;

export async function writePlan(storage: Storage, id: RunId, plan: ErasurePlan): Promise<void> {
  await storage.put(planPath(id), Buffer.from(`${JSON.stringify(planSchema.parse(plan))}\n`));
}

/** Undefined if another run has just finished the erasure. @throws {IntegrityError} the plan is invalid */
export async function readPlan(storage: Storage, id: RunId): Promise<ErasurePlan | undefined> {
  try {
    return planSchema.parse(parseJson(Buffer.from(await storage.get(planPath(id))).toString()));
  } catch (cause) {
    if (cause instanceof ObjectNotFoundError) return undefined;
    if (!(cause instanceof SyntaxError || cause instanceof z.ZodError)) throw cause;
    const detail = 'is damaged: it is not a valid plan of an erasure';
    throw new IntegrityError(planPath(id), 'unreadable', detail, { cause });
  }
}

/** Deletes the files of an erasure, the plan last: with it, an interrupted cleanup can be repeated. */
export async function removePlan(storage: Storage, id: RunId): Promise<void> {
  const last = planPath(id);
  const others: string[] = [];
  for await (const { path } of listOwn(storage, `${ERASURES_PREFIX}${id}/`)) {
    if (path !== last) others.push(path);
  }
  await deleteObjects(storage, others);
  await storage.delete(last);
}

function pathOf(isAllowed: (path: string) => boolean): z.ZodString {
  return z.string().refine(isAllowed, 'not a path that an erasure may touch');
}
