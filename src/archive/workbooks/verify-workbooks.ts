/** Compares the workbooks of runs with the log, and makes again what is missing, damaged or outdated (I-64 in FORMAT.md). */
import { concurrently } from '../../base/concurrently.js';
import { messageOf } from '../../base/error.js';
import { FormatError } from '../../formats/format.js';
import { checkWorkbook, descriptionOf } from '../../formats/xlsx/read-back.js';
import { DamagedObjectError, ObjectNotFoundError } from '../../storage/storage-errors.js';
import type { ObjectInfo, StorageReading } from '../../storage/storage.js';
import type { ArchiveTask } from '../archive.js';
import { storedBytes } from '../objects/checked-objects.js';
import type { ArchiveIdentity } from '../identity.js';
import type { LogIndex } from '../log/log-index.js';
import { runOfWorkbook, workbookPath, WORKBOOKS_PREFIX } from '../paths.js';
import type { Findings } from '../verify/findings.js';
import { commitIn, dueWorkbooks, tryWriteWorkbook, type DueWorkbook } from './run-workbooks.js';

export interface WorkbookCheckOptions extends StorageReading {
  readonly identity: ArchiveIdentity;
  /** The index of the whole log, which must be sound. */
  readonly index: LogIndex;
  readonly concurrency: number;
  /** Whether all bytes are read. Default: presence is compared, and what they say of themselves. */
  readonly readsAll: boolean;
}

const MADE_AGAIN = '--repair makes it again';

/** Notes what is not as the log gives it: no data is lost with a workbook. */
export async function verifyWorkbooks(
  options: WorkbookCheckOptions,
  findings: Findings,
): Promise<void> {
  const { storage, identity, index, concurrency, signal } = options;
  const due = new Map(
    dueWorkbooks({ identity, index }).map((workbook) => [workbookPath(workbook.run), workbook]),
  );
  const there = new Set<string>();
  await concurrently(storage.list(WORKBOOKS_PREFIX), concurrency, async (object) => {
    signal?.throwIfAborted();
    if (runOfWorkbook(object.path) === undefined) return;
    there.add(object.path);
    const detail = await problemOf(options, object, due.get(object.path));
    if (detail !== undefined) findings.note(object.path, detail);
  });
  for (const path of due.keys()) {
    if (there.has(path) || (await storage.stat(path))) continue;
    findings.note(path, 'is not there: its run makes it when it ends, or --repair');
  }
}

/** @returns undefined if the workbook is right */
async function problemOf(
  { storage, index, readsAll }: WorkbookCheckOptions,
  object: ObjectInfo,
  due: DueWorkbook | undefined,
): Promise<string | undefined> {
  const run = runOfWorkbook(object.path);
  const source = storedBytes(storage, object);
  try {
    const madeAt = run && commitIn(await descriptionOf(source), run);
    if (madeAt === undefined) return `is not the workbook of its run: ${MADE_AGAIN}`;
    if (readsAll) await checkWorkbook(source);
    if (madeAt > index.through) return undefined; // it was made since the log was read
    if (!due) return 'is of a run without rows: --repair deletes it';
    return madeAt < due.since ? `has not the rows of now: ${MADE_AGAIN}` : undefined;
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return undefined; // just deleted by an erasure
    if (error instanceof DamagedObjectError) return `is damaged: ${MADE_AGAIN}`;
    if (!(error instanceof FormatError)) throw error;
    return `is damaged: ${messageOf(error)}; ${MADE_AGAIN}`;
  }
}

/**
 * @param paths of objects that were found wrong
 * @returns those that are right now
 */
export async function repairWorkbooks(
  task: ArchiveTask,
  paths: readonly string[],
): Promise<string[]> {
  const repaired: string[] = [];
  for (const path of paths) {
    const run = runOfWorkbook(path);
    if (run === undefined) continue;
    task.signal.throwIfAborted();
    if (await tryWriteWorkbook(task, run)) repaired.push(path);
  }
  return repaired;
}
