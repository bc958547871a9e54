/**
 * Finds the images that a run has left unmarked which died between its last commit and the marking. The log has the doubt of
 * the later places, and the rows of the run have the earlier ones with the same bytes (I-67 in FORMAT.md).
 */
import { groupBy } from '../../base/group-by.js';
import { rowId, type JobId, type SessionId, type UserId } from '../../model/ids.js';
import { textIn, textOrEmpty } from '../../model/mask-secrets.js';
import type { Row } from '../../model/table-schema.js';
import { artifactsTable } from '../../model/tables.js';
import { rowFormatsOf, type ArchiveTask } from '../archive.js';
import type { FileEntry, JobLine } from '../log/commit.js';
import type { CommitFacts } from '../log/log-view.js';
import { commitWithJobs } from '../log/manifest.js';
import { columnsBut, readPart } from '../parts/read-part.js';

export interface UnmarkedPlace {
  readonly user: UserId;
  readonly session: SessionId;
  readonly job: JobId;
  /** The version of the job that has it. */
  readonly version: number;
  readonly sha256: string;
  /** The URL that it was fetched from, without signature; null where the record has none. */
  readonly url: string | null;
}

interface Choice {
  /** Only runs that have committed since; milliseconds since 1970 UTC. */
  readonly sinceMs: number;
  readonly isAccepted: (sha256: string) => boolean;
}

const COLUMNS = ['user_id', 'session_id', 'job_id', 'job_version', 'sha256', 'suspicious', 'url'];

/** Reads what the runs have committed that others have found dead. The index must be fresh. */
export async function* unmarkedImages(
  task: ArchiveTask,
  choice: Choice,
): AsyncGenerator<UnmarkedPlace> {
  const { index } = task.archive;
  const dead = [...index.commits].filter(
    ({ kind, run, atMs }) =>
      kind === 'export' && atMs >= choice.sinceMs && index.abandonedRuns.has(run),
  );
  for (const commits of groupBy(dead, ({ run }) => run).values()) {
    yield* unmarkedIn(task, commits, choice);
  }
}

/** @param commits of one run */
async function* unmarkedIn(
  task: ArchiveTask,
  commits: readonly CommitFacts[],
  { isAccepted }: Choice,
): AsyncGenerator<UnmarkedPlace> {
  const { log, storage } = task.archive;
  const doubted = new Set<string>();
  const lines = new Map<string, JobLine>();
  for (const { number } of commits) {
    task.signal.throwIfAborted();
    const { jobs } = await commitWithJobs({ storage, log }, await log.read(number));
    for (const line of jobs) {
      lines.set(JSON.stringify([rowId(line.user), rowId(line.session), rowId(line.job)]), line);
      for (const sha256 of line.same_images ?? []) if (!isAccepted(sha256)) doubted.add(sha256);
    }
  }
  if (doubted.size === 0) return;
  for await (const row of artifactRows(task, commits)) {
    const sha256 = textOrEmpty(row, 'sha256');
    if (!doubted.has(sha256) || row['suspicious'] !== null) continue;
    const line = lines.get(JSON.stringify([row['user_id'], row['session_id'], row['job_id']]));
    if (!line || line.version !== row['job_version']) continue;
    const { user, session, job, version } = line;
    yield { user, session, job, version, sha256, url: textIn(row, 'url') };
  }
}

/** The rows of the files that the commits have written and that are still in the archive. */
async function* artifactRows(
  { archive, signal }: ArchiveTask,
  commits: readonly CommitFacts[],
): AsyncGenerator<Row> {
  const [format] = await rowFormatsOf(archive);
  const { files } = archive.index.contents;
  const written = commits.flatMap((commit) => commit.files);
  const parts: FileEntry[] = written.flatMap((path) => files.get(path) ?? []);
  const omitted = columnsBut(artifactsTable, COLUMNS);
  for (const part of parts) {
    if (!format || part.table !== artifactsTable.name) continue;
    if (!part.path.endsWith(`.${format.extension}`)) continue;
    const reading = { table: artifactsTable, format, omitted, signal };
    for await (const rows of readPart(archive, part, reading)) yield* rows;
  }
}
