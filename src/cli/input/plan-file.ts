/** Reads and writes plans of deletions. */
import { writeFile } from 'node:fs/promises';
import { codeOf } from '../../base/error.js';
import { fileErrorReason } from '../../base/file-error.js';
import { UsageError } from '../../base/usage-error.js';
import { decodePlan, encodePlan, type SavedPlan } from '../../prune/saved-plan.js';
import { readGiven } from './given-file.js';

/** @throws {UsageError} it cannot be read, or is not a plan */
export async function readPlanFile(file: string, flag = '--plan'): Promise<SavedPlan> {
  return decodePlan((await readGiven(flag, file)).toString(), `${flag} ${file}`);
}

/** Replaces an older plan, but no other file. @throws {UsageError} */
export async function writePlanFile(file: string, plan: SavedPlan): Promise<void> {
  try {
    await writeFile(file, encodePlan(plan), { flag: 'wx' });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unwritable(file, error);
    await readPlanFile(file, '--save-plan');
    await writeFile(file, encodePlan(plan)).catch((cause: unknown) => {
      throw unwritable(file, cause);
    });
  }
}

function unwritable(file: string, cause: unknown): UsageError {
  return new UsageError(`--save-plan ${file} cannot be written: ${fileErrorReason(cause)}`, {
    cause,
  });
}
