/** Reads and writes plans of deletions. */
import { readFile, writeFile } from 'node:fs/promises';
import { codeOf } from '../../base/error.js';
import { fileErrorReason } from '../../base/file-error.js';
import { UsageError } from '../../base/usage-error.js';
import { decodePlan, encodePlan, type SavedPlan } from '../../prune/saved-plan.js';

/** @throws {UsageError} it cannot be read, or is not a plan */
export async function readPlan(file: string): Promise<SavedPlan> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--plan ${file} cannot be read: ${fileErrorReason(error)}`, {
      cause: error,
    });
  }
  return decodePlan(text, `--plan ${file}`);
}

/** Replaces an older plan, but no other file. @throws {UsageError} */
export async function writePlan(file: string, plan: SavedPlan): Promise<void> {
  try {
    await writeFile(file, encodePlan(plan), { flag: 'wx' });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unwritable(file, error);
    await readPlan(file);
    await writeFile(file, encodePlan(plan)).catch((cause: unknown) => {
      throw unwritable(file, cause);
    });
  }
}

function unwritable(file: string, cause: unknown): UsageError {
  return new UsageError(`--plan ${file} cannot be written: ${fileErrorReason(cause)}`, { cause });
}
