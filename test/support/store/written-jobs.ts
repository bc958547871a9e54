/** Jobs put into an archive as an export puts them, without a service: rows, files and one commit. */
import type { Archive } from '../../../src/archive/archive.js';
import type { CommitDraft } from '../../../src/archive/log/commit-draft.js';
import type { Commit, FileEntry, JobLine } from '../../../src/archive/log/commit.js';
import { groupBy } from '../../../src/base/group-by.js';
import { contentHash, sessionRowHash } from '../../../src/flatten/content-hash.js';
import { fileReferences, placeKey } from '../../../src/flatten/file-references.js';
import { type FileFacts, filesDigest } from '../../../src/flatten/file-facts.js';
import type { TableRows } from '../../../src/flatten/flatten-job.js';
import { sessionRow } from '../../../src/flatten/record-rows.js';
import type { RowFormat } from '../../../src/formats/format.js';
import { createJsonlFormat } from '../../../src/formats/jsonl/jsonl-format.js';
import { asJobId, asRunId, asSessionId, asUserId, type RunId } from '../../../src/model/ids.js';
import type { JobRecord, Verbatim } from '../../../src/model/records.js';
import { sessionsTable, tableNamed } from '../../../src/model/tables.js';
import { writePart } from '../../../src/archive/parts/part-files.js';
import { artifactFor, draft, job as jobLine, runOf, session } from './archive-samples.js';
import { answerOf, flattened, STORED } from '../tables/flattened-job.js';

export const jsonl = createJsonlFormat();

export interface JobToWrite {
  readonly user: string;
  readonly session: string;
  readonly job: string;
  /** Default 1. */
  readonly version?: number;
  /** The texts of its files, each a CSV. */
  readonly files?: readonly string[];
  /** Files that are named and not stored. */
  readonly lost?: number;
}

export interface WrittenAs {
  /** The run's id, or a letter that it has again and again; default A. */
  readonly run?: string;
  /** Of the run; default 1. */
  readonly checkpoint?: number;
  /** Of every session; default: the checkpoint. */
  readonly sessionVersion?: number;
  /** Of the part files. */
  readonly day?: string;
  readonly formats?: readonly RowFormat[];
  /** Default: as an export puts files, each durable. */
  readonly putFile?: (path: string, content: Uint8Array) => Promise<void>;
  readonly over?: Partial<CommitDraft>;
}

/** @returns the commit */
export async function commitJobs(
  archive: Archive,
  jobs: readonly JobToWrite[],
  options: WrittenAs = {},
): Promise<Commit> {
  const { run = 'A', checkpoint = 1, formats = [jsonl], over } = options;
  const { day, sessionVersion = checkpoint } = options;
  const { storage, log, index } = archive;
  const { putFile = (path, content) => storage.put(path, content) } = options;
  const written = jobs.map((job) => flattenedJob(job, run));
  for (const { path, content } of written.flatMap(({ artifacts }) => artifacts)) {
    await putFile(path, content);
  }
  const keys = groupBy(jobs, ({ user, session }) => JSON.stringify([user, session]));
  const sessions = [...keys.values()].flatMap(([first]) => first ?? []);
  const tables = [
    ...written.flatMap((one) => one.tables),
    ...sessions.map((one) => ofSession(one, run, sessionVersion)),
  ];
  const files: FileEntry[] = [];
  for (const format of formats) {
    files.push(...(await putRows(archive, tables, { format, run, n: checkpoint, day })));
  }
  await index.refresh();
  const entries = written.flatMap((one) => one.artifacts.map(({ entry }) => entry));
  const distinct = [...new Map(entries.map((entry) => [entry.path, entry])).values()];
  const bytes = distinct.reduce((sum, entry) => sum + entry.bytes, 0);
  return log.append(
    draft({
      base: index.through,
      run: runNamed(run),
      checkpoint,
      files,
      ...(bytes > 0 && { artifacts: { count: distinct.length, bytes } }),
      sessions: sessions.map((one) =>
        session(one.user, one.session, {
          version: sessionVersion,
          meta_hash: sessionRowHash(sessionRecord(one), 1, true),
        }),
      ),
      jobs: written.map(({ line }) => line),
      ...over,
    }),
  );
}

interface PartOf {
  readonly format: RowFormat;
  readonly run: string;
  readonly n: number;
  readonly day?: string | undefined;
}

function runNamed(run: string): RunId {
  return run.length === 1 ? runOf(run) : asRunId(run);
}

/** Publishes a part file for each table. */
export async function putRows(
  { storage }: Archive,
  tables: readonly TableRows[],
  { format, run, n, day = '2026-11-05' }: PartOf,
): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  for (const [name, parts] of groupBy(tables, ({ table }) => table.name)) {
    const table = tableNamed(name);
    if (!table) throw new Error(`there is no table ${name}`);
    const batches = (async function* () {
      yield await Promise.resolve(parts.flatMap(({ rows }) => [...rows]));
    })();
    const target = { storage, table, format, run: runNamed(run), day, n };
    const { entry, staged } = await writePart(target, batches);
    await staged.publish(entry.path);
    entries.push(entry);
  }
  return entries;
}

/** As the service sends it. */
export function sessionRecord({ user, session }: Pick<JobToWrite, 'user' | 'session'>) {
  const value = { id: asSessionId(session), name: `${user} called it ${session}` };
  return { value, text: JSON.stringify(value) };
}

function ofSession(one: JobToWrite, run: string, sessionVersion: number): TableRows {
  const context = {
    userId: asUserId(one.user),
    sessionVersion,
    jobCount: 1,
    isComplete: true,
    firstJobBefore: null,
    runId: runNamed(run),
    exportedAt: 5n,
  };
  const row = sessionRow(context, sessionRecord(one));
  return { table: sessionsTable, rows: [row] };
}

/** The job as the service sends it; its rows, its files, and its line for the log. */
export function flattenedJob(wanted: JobToWrite, run = 'A') {
  const { user, session: sessionId, job, version = 1, files: texts = [], lost = 0 } = wanted;
  const blocks = Array.from({ length: texts.length + lost }, (_, at) => {
    const content = { name: `${job}-${at}`, url: `https://files.example/${job}/${at}.csv` };
    return JSON.stringify({ type: 'TABLE', content, stage: 'Analyze' });
  });
  const message = JSON.stringify({ type: 'MESSAGE', content: `told to ${user}`, stage: 'Respond' });
  const answer = answerOf(...blocks, message).text.replace('"job_id":"j"', `"job_id":"${job}"`);
  const record: Verbatim<JobRecord> = { value: JSON.parse(answer) as never, text: answer };
  const artifacts = texts.map(artifactFor);
  const facts = fileReferences(record).map((reference, at): [string, FileFacts] => {
    const sample = artifacts[at];
    const gone: FileFacts = { status: 'missing', reason: 'not found' };
    const stored = sample && STORED.stored && { ...STORED.stored, ...sample.entry };
    return [placeKey(reference), stored ? { ...STORED, stored } : gone];
  });
  const files = new Map(facts);
  const hash = contentHash(record);
  const { tables } = flattened(record, {
    userId: asUserId(user),
    sessionId: asSessionId(sessionId),
    jobId: asJobId(job),
    jobVersion: version,
    runId: runNamed(run),
    contentHash: hash,
    files,
  });
  const digest = filesDigest(fileReferences(record), files);
  const line: JobLine = jobLine(user, sessionId, job, { version, hash, files: digest, gaps: lost });
  return { record, tables, artifacts, line };
}
