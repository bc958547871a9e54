/** An export pipeline with parts that a test chooses: any storage, any client, small limits. */
import { createOrOpenArchive } from '../../../src/archive/open-archive.js';
import {
  contextOf,
  filesOfTable,
  type Archive,
  type ContextOptions,
} from '../../../src/archive/archive.js';
import { verifyArchive } from '../../../src/archive/verify/verify.js';
import { createArtifactFetcher } from '../../../src/artifacts/fetcher.js';
import { sha256Hex } from '../../../src/base/digest.js';
import { systemClock } from '../../../src/base/runtime.js';
import type { Emulator } from '../../../src/emulator/emulator.js';
import type { ExportOptions } from '../../../src/export/export-options.js';
import { runExport } from '../../../src/export/run-export.js';
import type { ExportResult } from '../../../src/export/run-tally.js';
import { createJsonlFormat } from '../../../src/formats/jsonl/jsonl-format.js';
import { asUserId } from '../../../src/model/ids.js';
import type { Row } from '../../../src/model/table-schema.js';
import { tableNamed } from '../../../src/model/tables.js';
import {
  createServiceClient,
  type ServiceClientOptions,
} from '../../../src/service/create-service-client.js';
import type { Storage } from '../../../src/storage/storage.js';
import { ObjectNotFoundError } from '../../../src/storage/storage-errors.js';
import { readBack } from '../base/memory-bytes.js';
import { impatient } from '../rigs/export-rig.js';

export interface PiecedExport
  extends
    Partial<Omit<ExportOptions, 'users' | 'settings'>>,
    Pick<ContextOptions, 'clock' | 'logger' | 'processes' | 'terms'> {
  readonly emulator: Emulator;
  readonly storage: Storage;
  readonly users: readonly string[];
  readonly settings?: Partial<ExportOptions['settings']>;
  readonly client?: Partial<ServiceClientOptions>;
  readonly fileConcurrency?: number;
  /** Default false: runs do not wait for each other, so that the log alone decides. */
  readonly respectsLeases?: boolean;
}

const format = createJsonlFormat();
/** Rows by table and digest: tests that stop at every step read the same part files hundreds of times. */
const decoded = new Map<string, readonly Row[]>();

/** Rows as JSONL; retries without a wait, four at most. */
export async function piecedExport(parts: PiecedExport): Promise<ExportResult> {
  const { emulator, storage, users, settings, client, fileConcurrency = 8, ...rest } = parts;
  const { respectsLeases = false, clock, logger, processes, terms, ...options } = rest;
  const context = contextOf({ clock, logger, processes, terms, random: impatient });
  const service = createServiceClient({
    ...context,
    baseUrl: emulator.baseUrl,
    apiKey: 'demo-key',
    traceId: 'test',
    rate: 10_000,
    maxAttempts: 4,
    ...client,
  });
  const fetcher = createArtifactFetcher({
    ...context,
    storage,
    concurrency: fileConcurrency,
    maxFileBytes: 1e9,
    userAgent: 'jobvault',
    storageBaseUrl: undefined,
    allowPrivateNetwork: true,
  });
  const archive =
    options.archive ??
    (await pieceOf(respectsLeases ? storage : withoutUserLeases(storage), emulator));
  try {
    return await runExport({
      service,
      fetcher,
      users: users.map(asUserId),
      settings: {
        full: false,
        rereadMs: 30 * 86_400_000,
        settleTimeMs: 3_600_000,
        sessions: [],
        search: undefined,
        retryGaps: false,
        ...settings,
      },
      concurrency: 4,
      pageSize: 100,
      checkpointBytes: 1e9,
      checkpointIntervalMs: 1e9,
      noWait: false,
      observer: {},
      signal: new AbortController().signal,
      ...options,
      archive: { ...archive, ...context },
    });
  } finally {
    await Promise.all([service.close(), fetcher.close()]);
  }
}

/** A storage in which every user is always free, and every other object where it is. */
function withoutUserLeases(storage: Storage): Storage {
  const isUserLease = (path: string) => /^_leases\/[0-9a-f]{64}\.json$/.test(path);
  const overrides: Partial<Storage> = {
    get: (path) =>
      isUserLease(path) ? Promise.reject(new ObjectNotFoundError(path)) : storage.get(path),
    putIfAbsent: (path, bytes) =>
      isUserLease(path) ? Promise.resolve(true) : storage.putIfAbsent(path, bytes),
  };
  return Object.assign(Object.create(storage) as Storage, overrides);
}

/** Another view of the archive in a storage: what another process would open. */
export async function pieceOf(storage: Storage, { baseUrl }: Emulator): Promise<Archive> {
  return createOrOpenArchive(storage, {
    baseUrl,
    project: null,
    formats: ['jsonl'],
    tool: 'jobvault test',
    clock: systemClock,
    random: impatient,
  });
}

/** A table's rows in the files that the log names, which must be all the files there are. */
export async function rowsIn(archive: Archive, name: string): Promise<Row[]> {
  const [unnamed] = await unnamedParts(archive, name);
  if (unnamed !== undefined) throw new Error(`no commit names ${unnamed}`);
  return namedRows(archive, name);
}

/** Files below `tables/` that no commit names. */
export async function unnamedParts(archive: Archive, name: string): Promise<string[]> {
  const named = new Set((await filesOfTable(archive, name)).map(({ path }) => path));
  const unnamed: string[] = [];
  for await (const { path } of archive.storage.list(`tables/${name}/`)) {
    if (!named.has(path)) unnamed.push(path);
  }
  return unnamed;
}

/** A table's rows in the files that the log names. */
export async function namedRows(archive: Archive, name: string): Promise<Row[]> {
  const table = tableNamed(name);
  if (!table) throw new Error(`there is no table ${name}`);
  const rows: Row[] = [];
  for (const { path } of await filesOfTable(archive, name)) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of archive.storage.read(path)) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const key = `${name} ${sha256Hex(bytes)}`;
    const known =
      decoded.get(key) ?? (await readBack(format, table, bytes)).map((row) => Object.freeze(row));
    decoded.set(key, known);
    rows.push(...known);
  }
  return rows;
}

/** What is wrong with an archive, objects that no commit names included. */
export async function faultsOf(archive: Archive): Promise<unknown[]> {
  const { problems, orphans } = await verifyArchive(archive);
  return [...problems, ...orphans];
}

/** What is wrong with what the commits name. */
export async function problemsOf(archive: Archive): Promise<unknown[]> {
  return (await verifyArchive(archive)).problems.slice();
}

/** A job that will not change any more, with so many files. */
export function oldJob(id: string, fileKeys: readonly string[] = []): string {
  const tables = fileKeys.map((key) => ({
    type: 'TABLE',
    content: { name: key, url: `{{url:${key}}}`, expires_at: '{{expires_at}}' },
    group_id: '',
    group_name: '',
    stage: 'Analyze',
  }));
  const reply = { type: 'MESSAGE', content: `Of ${id}.`, group_id: '-1', stage: 'Respond' };
  return JSON.stringify({
    job_id: id,
    question: { blocks: [{ type: 'MESSAGE', content: 'Well?' }] },
    answer: { blocks: [...tables, reply] },
  });
}
