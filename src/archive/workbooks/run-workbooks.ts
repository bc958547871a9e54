/**
 * The workbook of a run has the rows that the run has brought into the archive, as far as they are still there. It is
 * derived: nothing rests on it, and whoever finds it missing makes it (I-64 in FORMAT.md).
 */
import { failureOf, messageOf } from '../../base/error.js';
import { FormatError, type ByteSink, type SheetSource } from '../../formats/format.js';
import type * as Sources from '../../formats/xlsx/sheet-source.js';
import type { RunId } from '../../model/ids.js';
import { SEARCH_COLUMNS, TABLES } from '../../model/tables.js';
import { rowFormatsOf, type Archive, type ArchiveTask } from '../archive.js';
import { readConsistently } from '../consistent-read.js';
import { retryOnRewrite } from '../retry-on-rewrite.js';
import type { ArchiveIdentity } from '../identity.js';
import { isRewrite } from '../log/commit-kinds.js';
import type { FileEntry } from '../log/commit.js';
import type { LogIndex } from '../log/log-index.js';
import { readPart } from '../parts/read-part.js';
import { firstOfMonth, partitionOf, runOfPart, workbookPath } from '../paths.js';

/** What Excel could not open anyhow. */
const MAX_BYTES = 2 ** 30;

interface RunRows {
  /** UTC days of its part files. */
  readonly days: Set<string>;
  /** The newest commit that has changed which rows of the run are there. */
  since: number;
}

/** A workbook that belongs in the archive. */
export interface DueWorkbook {
  readonly run: RunId;
  /** A workbook that was made before this commit has other rows. */
  readonly since: number;
  /** Every part file that may have rows of the run. */
  readonly files: readonly FileEntry[];
}

interface WorkbooksOf {
  readonly identity: ArchiveIdentity;
  readonly index: LogIndex;
}

/** Which runs have brought rows, and which part files may have them now. */
class RowsOfRuns {
  readonly #runs = new Map<RunId, RunRows>();
  /** Paths of files that have rows of several runs. */
  readonly #rewritten = new Set<string>();

  constructor({ commits }: LogIndex) {
    for (const commit of commits) {
      const { run, number, files } = commit;
      if (isRewrite(commit)) for (const path of files) this.#rewritten.add(path);
      else if (files.length > 0) {
        const rows = this.#runs.get(run) ?? { days: new Set(), since: 0 };
        for (const path of files) rows.days.add(partitionOf(path)?.day ?? '');
        rows.since = number;
        this.#runs.set(run, rows);
      }
    }
  }

  get runs(): Iterable<[RunId, RunRows]> {
    return this.#runs;
  }

  /** The runs that may have rows in any of the part files. */
  runsIn(paths: readonly string[]): RunId[] {
    return [...this.#runs].flatMap(([run, rows]) =>
      paths.some((path) => this.mayHaveRows(path, run, rows)) ? [run] : [],
    );
  }

  /** A rewrite leaves rows in the day of their run, or on the first of the month (I-52). */
  mayHaveRows(path: string, run: RunId, { days }: RunRows): boolean {
    if (!this.#rewritten.has(path)) return runOfPart(path) === run;
    const day = partitionOf(path)?.day ?? '';
    return days.has(day) || [...days].some((rowDay) => firstOfMonth(rowDay) === day);
  }
}

/** The workbooks that are due; none of an archive without workbooks. @param index of the whole log, for `since` */
export function dueWorkbooks({ identity, index }: WorkbooksOf): DueWorkbook[] {
  if (!hasWorkbooks(identity)) return [];
  const rows = new RowsOfRuns(index);
  for (const { kind, number, removed } of index.fileChanges) {
    if (kind !== 'erase') continue;
    const losing = new Set(rows.runsIn(removed));
    for (const [run, runRows] of rows.runs)
      if (losing.has(run)) runRows.since = Math.max(runRows.since, number);
  }
  const files = [...index.contents.files.values()];
  return [...rows.runs].flatMap(([run, runRows]) => {
    const runFiles = files.filter(({ path }) => rows.mayHaveRows(path, run, runRows));
    return runFiles.length === 0 ? [] : [{ run, since: runRows.since, files: runFiles }];
  });
}

/** Runs whose workbooks may have rows of the part files, which an erasure has removed. */
export function runsLosing({ index }: Archive, removed: readonly string[]): readonly RunId[] {
  return removed.length === 0 ? [] : new RowsOfRuns(index).runsIn(removed);
}

function hasWorkbooks({ formats }: ArchiveIdentity): boolean {
  return formats.includes('xlsx');
}

/**
 * Makes the workbook of a run, in place of one that is there; where the archive has no rows of the run, there is none
 * afterwards.
 *
 * @throws {IntegrityError} a part file is damaged
 * @throws {FormatError} it would be too large
 * @throws {RewrittenMeanwhileError} the archive is erased from all the time
 */
async function writeWorkbook({ archive, signal }: ArchiveTask, run: RunId): Promise<void> {
  const path = workbookPath(run);
  try {
    await retryOnRewrite(() =>
      readConsistently(archive, 'workbook', async () => {
        const due = dueWorkbooks(archive).find((workbook) => workbook.run === run);
        if (due) await publishWorkbook({ archive, signal }, due);
        else await archive.storage.delete(path);
      }),
    );
  } catch (error) {
    await archive.storage.delete(path); // it may have what was erased meanwhile
    throw error;
  }
}

/** Makes the workbook of a run that ends, where the archive has workbooks. */
export async function leaveWorkbook(task: ArchiveTask, run: RunId): Promise<void> {
  if (hasWorkbooks(task.archive.identity)) await tryWriteWorkbook(task, run);
}

/**
 * Without a workbook, nothing is lost: why one cannot be made is logged.
 *
 * @returns whether it is as it should be
 */
export async function tryWriteWorkbook(task: ArchiveTask, run: RunId): Promise<boolean> {
  try {
    await writeWorkbook(task, run);
    return true;
  } catch (error) {
    if (failureOf(error) === 'unexpected' && !task.signal.aborted) throw error;
    const facts = { workbook: workbookPath(run), reason: messageOf(error) };
    task.archive.logger.warn(facts, 'cannot make the workbook; verify --repair does');
    return false;
  }
}

/** What its writer knew of the log, in its properties. */
function descriptionFor(run: RunId, commit: number): string {
  return `jobvault run ${run}, commit ${commit}`;
}

/** The newest commit that the writer of the run's workbook knew; undefined if it does not say that. */
export function commitIn(description: string | undefined, run: RunId): number | undefined {
  const [, named, commit] =
    /^jobvault run ([0-9A-Z]{26}), commit (\d+)$/.exec(description ?? '') ?? [];
  return named === run ? Number(commit) : undefined;
}

async function publishWorkbook(task: ArchiveTask, due: DueWorkbook): Promise<void> {
  const { storage, index } = task.archive;
  const path = workbookPath(due.run);
  const description = descriptionFor(due.run, index.through);
  // few archives have workbooks, and what writes them is large
  const { writeXlsx } = await import('../../formats/xlsx/workbook.js');
  const sheets = await sheetsOf(task, due, await import('../../formats/xlsx/sheet-source.js'));
  const staged = await storage.stage();
  try {
    await writeXlsx(sheets, bounded(staged), { description });
    await staged.close();
    await staged.publish(path);
  } finally {
    await staged.discard();
  }
}

async function sheetsOf(
  { archive, signal }: ArchiveTask,
  { run, files }: DueWorkbook,
  { sheetSource }: typeof Sources,
): Promise<SheetSource[]> {
  const [format] = await rowFormatsOf(archive);
  if (!format) return [];
  const reading = { format, signal, omitted: SEARCH_COLUMNS };
  return TABLES.map((table) =>
    sheetSource(table, async function* () {
      for (const file of files) {
        if (file.table !== table.name || !file.path.endsWith(`.${format.extension}`)) continue;
        for await (const rows of readPart(archive, file, { ...reading, table })) {
          yield rows.filter((row) => row['run_id'] === run);
        }
      }
    }),
  );
}

function bounded(sink: ByteSink): ByteSink {
  let bytes = 0;
  return {
    write(chunk) {
      bytes += chunk.byteLength;
      if (bytes <= MAX_BYTES) return sink.write(chunk);
      const ways = 'jobvault workbook --user makes one of some people';
      return Promise.reject(
        new FormatError(`the workbook of this run has more than 1 GiB; ${ways}`),
      );
    },
  };
}
