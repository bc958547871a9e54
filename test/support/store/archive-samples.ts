/** Commits, sessions and jobs for tests of the archive, with every field that a test does not care about filled in. */
import type { Clock, Random } from '../../../src/base/runtime.js';
import { sha256Hex } from '../../../src/base/digest.js';
import {
  archiveOf,
  type Archive,
  type ArchiveContext,
  type ContextOptions,
} from '../../../src/archive/archive.js';
import type { ArchiveIdentity } from '../../../src/archive/identity.js';
import type { CommitKind } from '../../../src/archive/log/commit-kinds.js';
import type {
  BegunErasure,
  Commit,
  DeletionEntry,
  FileEntry,
  GapEntry,
  JobLine,
  SessionEntry,
  UserEntry,
} from '../../../src/archive/log/commit.js';
import type { CommitDraft } from '../../../src/archive/log/commit-draft.js';
import { artifactPath, partPath } from '../../../src/archive/paths.js';
import { createOrOpenArchive, type ArchiveSettings } from '../../../src/archive/open-archive.js';
import type { NamedObject } from '../../../src/archive/objects/checked-objects.js';
import type { RowFormat } from '../../../src/formats/format.js';
import type { Row } from '../../../src/model/table-schema.js';
import { artifactsTable } from '../../../src/model/tables.js';
import { asJobId, asRunId, asSessionId, asUserId, type RunId } from '../../../src/model/ids.js';
import type { Storage } from '../../../src/storage/storage.js';
import { NO_PLACE } from '../../../src/model/records.js';

const NOW_MS = Date.UTC(2026, 10, 5, 12);
/** Stands still. */
const stillClock: Clock = {
  now: () => NOW_MS,
  monotonic: () => 0,
  sleep: () => Promise.resolve(),
};

/** Mulberry32: small, seeded, good enough for tests. Source: github.com/bryc/code, PRNGs */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    fraction,
    bytes: (length) => Uint8Array.from({ length }, () => Math.floor(fraction() * 256)),
  };
}

/** A run's id: the letter again and again. */
export function runOf(letter: string): RunId {
  return asRunId(letter.repeat(26));
}

export function archiveSettings(over: Partial<ArchiveSettings> = {}): ArchiveSettings {
  return {
    baseUrl: 'https://api.example.com',
    project: null,
    formats: undefined,
    tool: 'jobvault 0.1.0',
    clock: stillClock,
    random: seededRandom(1),
    ...over,
  };
}

/** Of an archive that knows no other format. */
export function knowing(...formats: RowFormat[]): Pick<ArchiveContext, 'knownFormats'> {
  return { knownFormats: () => Promise.resolve(formats) };
}

/** Nothing of it is written: for what lies beside the log. */
export function unwrittenArchive(storage: Storage, context: ContextOptions): Archive {
  const identity: ArchiveIdentity = {
    format: 1,
    id: 'A'.repeat(26),
    made_by: 'jobvault 0.1.0',
    created_at: '2026-11-01T00:00:00.000Z',
    service: { base_url: 'https://api.example.com', project: null },
    formats: ['parquet'],
  };
  return archiveOf(storage, identity, context);
}

/** It knows `lineFormat` alone. */
export function makeArchive(storage: Storage, seed = 1): Promise<Archive> {
  const context = { random: seededRandom(seed), ...knowing(lineFormat) };
  return createOrOpenArchive(storage, archiveSettings(context));
}

/** Of jobs as JSON lines. */
export function makeJsonlArchive(storage: Storage): Promise<Archive> {
  return createOrOpenArchive(storage, archiveSettings({ formats: ['jsonl'] }));
}

/** As another process would see it: nothing in memory is shared. */
export function reopened(archive: Archive, storage = archive.storage, seed = 2): Archive {
  const context = { ...archive, clock: stillClock, random: seededRandom(seed), signer: undefined };
  return archiveOf(storage, archive.identity, context);
}

/** Of the kind that goes with what it changes, unless the test says of which. */
export function draft(over: Partial<CommitDraft> = {}): CommitDraft {
  return {
    kind: kindFor(over),
    base: 0,
    run: runOf('A'),
    checkpoint: 1,
    tool: 'jobvault 0.1.0',
    scope: { full: false },
    clock_confirmed: true,
    ...over,
  };
}

function kindFor({ erasure, removed, deletions, abandoned }: Partial<CommitDraft>): CommitKind {
  if (erasure) return 'erase';
  if (removed && removed.length > 0) return 'compact';
  if (deletions && deletions.length > 0) return 'prune';
  return abandoned && abandoned.length > 0 ? 'abandon' : 'export';
}

export function session(user: string, id: string, over: Partial<SessionEntry> = {}): SessionEntry {
  return {
    user: asUserId(user),
    session: asSessionId(id),
    version: 1,
    meta_hash: 'm1',
    total: 1,
    archived: 1,
    complete: true,
    growth: null,
    gone_at: null,
    gaps: [],
    ...over,
  };
}

/** A deletion that `prune` confirmed. */
export function deletionEntry(user: string, session: string): DeletionEntry {
  return {
    user: asUserId(user),
    session: asSessionId(session),
    deleted_at: '2026-11-05T12:00:00.000Z',
    commit: 1,
    job_count: 1,
    outcome: 'confirmed',
  };
}

/** Of a user with one session, whose listing was read whole. */
export function userEntry(user: string, over: Partial<UserEntry> = {}): UserEntry {
  return {
    user: asUserId(user),
    listed_at: '2026-11-05T12:00:00.000Z',
    listed: 1,
    total_items: 1,
    complete: true,
    sessions: { new: 1, changed: 0, unchanged: 0, failed: 0 },
    jobs: { archived: 1 },
    gaps: 0,
    error: null,
    ...over,
  };
}

export function job(
  user: string,
  sessionId: string,
  id: string,
  over: Partial<JobLine> = {},
): JobLine {
  return {
    user: asUserId(user),
    session: asSessionId(sessionId),
    job: asJobId(id),
    version: 1,
    hash: `hash of ${id}`,
    text_hash: null,
    urls: null,
    files: null,
    settled: true,
    seen_at: '2026-11-05T12:00:00.000Z',
    index: 0,
    gaps: 0,
    suspicious: 0,
    ...over,
  };
}

/** What a commit adds for a session of one job. */
export function ofOneJob(user: string, id: string): { sessions: SessionEntry[]; jobs: JobLine[] } {
  return { sessions: [session(user, id)], jobs: [job(user, id, `job of ${id}`)] };
}

/** Every commit of the log. */
export async function committed({ log }: Archive): Promise<Commit[]> {
  const commits = [];
  const head = await log.head();
  for await (const commit of log.commits(1, head?.number ?? 0)) commits.push(commit);
  return commits;
}

/** What a gap of a whole session names: no job, and no place in one. */
export const NO_JOB = { job: null, ...NO_PLACE, kind: null } as const;

/** A file of a job's answer that the service has no more. */
export const gapOf = (job: string, over: Partial<GapEntry> = {}): GapEntry => ({
  job: asJobId(job),
  role: 'answer',
  block_index: 0,
  file_index: 0,
  kind: 'TABLE',
  status: 'missing',
  reason: 'HTTP 404',
  ...over,
});

/** The receipt of an erasure of one user, of whom nothing was there. */
export const begunReceipt = (over: Partial<BegunErasure> = {}): BegunErasure => ({
  stage: 'begun',
  id: runOf('E'),
  reason: null,
  asked: { users: 1, sessions: 0 },
  erased: { sessions: 0, jobs: 0, rows: {}, artifacts: 0, artifact_bytes: 0 },
  commits: [],
  ...over,
});

/** A format whose rows are lines: enough to see that rows are counted, and which files those of `artifacts` name. */
export const lineFormat: RowFormat = {
  name: 'parquet',
  extension: 'lines',
  openWriter: () => {
    throw new Error('these tests write their lines themselves');
  },
  async *readRows(table, source) {
    if (table !== artifactsTable) throw new Error('these tests count lines only');
    const chunks: Uint8Array[] = [];
    for await (const chunk of source.read()) chunks.push(chunk);
    const lines = Buffer.concat(chunks).toString().split('\n').slice(0, -1);
    yield lines.map((line) => JSON.parse(line) as Row);
  },
  async countRows(source) {
    let rows = 0;
    for await (const chunk of source.read()) {
      rows += Buffer.from(chunk).toString().split('\n').length - 1;
    }
    return rows;
  },
};

interface PartOptions {
  readonly run: RunId;
  readonly n: number;
  readonly rows: number;
  readonly table?: string;
}

interface Sample<Entry> {
  readonly path: string;
  readonly content: Buffer;
  readonly entry: Entry;
}

/** A part file of `rows` lines. */
export function partFor({ run, n, rows, table = 'jobs' }: PartOptions): Sample<FileEntry> {
  const path = partPath(table, '2026-11-05', run, n, lineFormat.extension);
  const content = Buffer.from(Array.from({ length: rows }, (_, i) => `${path} ${i}\n`).join(''));
  const bytes = content.length;
  const entry = { path, table, rows, bytes, sha256: sha256Hex(content), schema: 'fingerprint' };
  return { path, content, entry };
}

export function artifactFor(text: string): Sample<NamedObject> {
  const content = Buffer.from(text);
  const sha256 = sha256Hex(content);
  const path = artifactPath(sha256, 'csv', 0);
  return { path, content, entry: { path, bytes: content.length, sha256 } };
}

/** Publishes a part file of `rows` lines. */
export async function putPart(storage: Storage, options: PartOptions): Promise<FileEntry> {
  const { path, content, entry } = partFor(options);
  await storage.put(path, content);
  return entry;
}

/** Publishes a part file of `artifacts` whose rows name the files: so they are in the archive. */
export async function putNaming(
  storage: Storage,
  entries: readonly NamedObject[],
  { run = runOf('A'), n = 1, extension = lineFormat.extension } = {},
): Promise<FileEntry> {
  const path = partPath('artifacts', '2026-11-05', run, n, extension);
  const rows = entries.map((entry) => ({ ...entry, run_id: run }));
  const content = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  await storage.put(path, content);
  const of = { table: 'artifacts', rows: rows.length, schema: 'fingerprint' };
  return { path, ...of, bytes: content.length, sha256: sha256Hex(content) };
}

export async function putArtifact(storage: Storage, text: string): Promise<NamedObject> {
  const { path, content, entry } = artifactFor(text);
  await storage.put(path, content);
  return entry;
}
