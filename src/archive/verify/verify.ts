/** Verifies an archive: the chain of commits, every object that they name, the snapshots, and time stamps. */
import type { X509Certificate } from 'node:crypto';
import type { Archive } from '../archive.js';
import type { FileEntry } from '../log/commit.js';
import type { CommitRef } from '../log/commit-log.js';
import type { CommitVerifier } from '../log/commit-verifier.js';
import {
  type ExpectedHead,
  headReport,
  type HeadReport,
  verifyLog,
  type LogFindings,
  type Rewrites,
} from './verify-log.js';
import { type SignatureReport } from './signature-report.js';
import { decodeIdentity, encodeIdentity, type ArchiveIdentity } from '../identity.js';
import { type ObjectInfo } from '../../storage/storage.js';
import { hashThreadsOf } from '../../storage/local/hash-threads.js';
import { getIfThere } from '../../storage/small-objects.js';
import { IntegrityError } from '../archive-errors.js';
import { chosenObjects, type Chosen } from './chosen-files.js';
import { NamedArtifacts } from '../objects/named-artifacts.js';
import { IDENTITY_PATH, isArtifactPath, partitionOf, SNAPSHOTS_PREFIX } from '../paths.js';
import { planLost, withoutPlan } from '../erasing/erasures.js';
import { verifyLaps, verifyTimestamps, type TimestampReport } from './verify-witnesses.js';
import { verifyDelta } from '../delta/verify-delta.js';
import { verifyWorkbooks } from '../workbooks/verify-workbooks.js';
import { verifyObjects, type VerifyProgress } from './verify-objects.js';
import { verifyGuards, type RetentionReport } from './verify-guards.js';
import { Findings, type VerifyNote, type VerifyProblem } from './findings.js';
import { verifySnapshots } from './verify-snapshots.js';

/** The result of verifying an archive. */
export interface VerifyReport {
  readonly location: string;
  readonly commits: number;
  /** Part files that the newest commit leaves in the archive. */
  readonly files: number;
  /** Rows of those part files, by table. */
  readonly tableRows: Readonly<Record<string, number>>;
  readonly artifacts: number;
  /** Read back and hashed: part files and artifacts. */
  readonly bytes: number;
  /** Files and artifacts whose bytes were not read back, only their presence and size; 0 without a sample. */
  readonly unread: number;
  /** What of the log a sample has not read: manifests of which only presence and size were verified, and snapshots that were not compared with it. */
  readonly leftOut: { readonly manifests: number; readonly snapshots: number };
  readonly snapshots: number;
  /** Files that compactions have replaced and that stay for those who read them. */
  readonly replaced: { readonly files: number; readonly bytes: number };
  /** The newest commit; null if the log is empty or that commit is damaged. */
  readonly head: CommitRef | null;
  /** What was found of the commit that was expected; undefined where none was. */
  readonly expectedHead: HeadReport | undefined;
  /** Null if nothing is retained. */
  readonly retention: RetentionReport | null;
  /** Erasures and compactions, which explain rows and files that are not there any more. */
  readonly rewrites: Rewrites;
  /** The signatures of the sound commits. */
  readonly signatures: SignatureReport;
  readonly timestamps: TimestampReport;
  /** Ordered by path. */
  readonly problems: readonly VerifyProblem[];
  /** No damage. Ordered by path. */
  readonly notes: readonly VerifyNote[];
  /** Paths that no commit names, such as those of a dead run; no damage. Ordered. */
  readonly orphans: readonly string[];
  /** Paths that jobvault does not make, such as those of a file manager: left alone. Ordered. */
  readonly foreign: readonly string[];
}

export interface VerifyOptions extends Chosen {
  /** Objects read at a time; default 8. */
  readonly concurrency?: number;
  /** From the first signed commit on, each must be signed with one of these. Default: signatures are not checked. */
  readonly publicKeys?: readonly CommitVerifier[] | undefined;
  /** Time-stamp authorities, or who certifies them: every token must be signed by one. Default: signatures of tokens are not checked. */
  readonly timestampAuthorities?: readonly X509Certificate[] | undefined;
  /** A commit that must be in the log. */
  readonly expectedHead?: ExpectedHead | undefined;
  readonly onProgress?: (progress: VerifyProgress) => void;
  readonly signal?: AbortSignal | undefined;
}

/** A report, and the facts that a repair needs. */
export interface Inspection {
  readonly report: VerifyReport;
  readonly log: LogFindings;
  /** Objects that neither a commit nor a row names. Ordered by path. */
  readonly orphans: readonly ObjectInfo[];
  /** Why it is not known of all artifacts whether a row names them: none of them may be moved. */
  readonly unreadRows: readonly VerifyProblem[];
}

const DEFAULT_CONCURRENCY = 8;
/** Each pass reads the log again, and only happens if there are problems. */
const MAX_PASSES = 10;

/**
 * Reads every named object once, in streams. Problems are reported, not thrown.
 *
 * @throws {StorageError} the storage cannot be read
 * @throws the signal's reason, when it is aborted
 */
export async function verifyArchive(
  archive: Archive,
  options: VerifyOptions = {},
): Promise<VerifyReport> {
  return (await inspectArchive(archive, options)).report;
}

/** As `verifyArchive`, with the facts that `repair` needs. */
export async function inspectArchive(
  archive: Archive,
  options: VerifyOptions = {},
): Promise<Inspection> {
  let inspection = await inspect(archive, options);
  for (let pass = 1; pass < MAX_PASSES; pass++) {
    if (inspection.report.problems.length === 0) return inspection;
    const again = await inspect(archive, options, inspection);
    if (again === inspection) return inspection;
    inspection = again;
  }
  return inspection;
}

/**
 * @param before the pass before: only its problems, and what is new, are verified again. A rewrite meanwhile
 *   deletes what the log named, which is no damage.
 */
async function inspect(
  archive: Archive,
  options: VerifyOptions,
  before?: Inspection,
): Promise<Inspection> {
  const { storage, log } = archive;
  const { concurrency = DEFAULT_CONCURRENCY, onProgress, signal } = options;
  const formats = await archive.knownFormats();
  const { publicKeys = [], timestampAuthorities = [], expectedHead } = options;
  if (before) log.forget();
  const findings = new Findings();
  await using threads = hashThreadsOf(storage);
  const samplesLog = (options.sample ?? 1) < 1;
  const found = await verifyLog(
    {
      storage,
      readIdentity: () => verifyIdentity(archive, findings),
      log,
      publicKeys,
      expectedHead,
      threads,
      comparesSnapshots: !samplesLog,
      signal,
    },
    findings,
  );
  if (before?.log.view === found.view) return before;
  const isWanted = before && wantedAfter(before);
  const chosen = chosenObjects(options, found);
  await using artifacts = await artifactsIn(archive, found, signal);
  for (const problem of artifacts.problems) findings.add(problem);
  const objects = await verifyObjects(
    {
      storage,
      formats,
      concurrency,
      threads,
      artifacts,
      chosen,
      samplesLog,
      isWanted,
      onProgress,
      signal,
    },
    found,
    findings,
  );
  const { bytes, unread, unreadManifests, replaced, orphans, foreign } = objects;
  const guarded = { storage, concurrency, artifacts, chosen, signal };
  const retention = await verifyGuards(guarded, found, findings);
  for (const lost of await withoutPlan(storage, found.index.openErasures)) {
    findings.add(planLost(lost)); // where another run has finished it since, the next pass finds nothing
  }
  await verifyLaps(storage, found, findings);
  const cached = { storage, log, isWanted, isCompared: !samplesLog, signal };
  const snapshots = await verifySnapshots(cached, found, findings);
  const trusted = timestampAuthorities;
  const timestamps = await verifyTimestamps({ storage, trusted, signal }, found, findings);
  if (found.isSound) {
    const { identity } = archive;
    const derived = { storage, identity, index: found.index, concurrency, signal };
    await verifyDelta(derived, findings);
    await verifyWorkbooks({ ...derived, readsAll: chosen === undefined }, findings);
  }
  const { files } = found.index.contents;
  const report = {
    location: storage.location,
    commits: found.commits,
    files: files.size,
    tableRows: rowsByTable(files.values()),
    artifacts: objects.artifacts,
    bytes: bytes + (before?.report.bytes ?? 0),
    unread: unread + (before?.report.unread ?? 0),
    leftOut: {
      manifests: unreadManifests + (before?.report.leftOut.manifests ?? 0),
      snapshots: snapshots.uncompared,
    },
    snapshots: snapshots.count,
    replaced,
    head: headOf(found),
    expectedHead: headReport(expectedHead, found),
    retention,
    rewrites: found.rewrites,
    signatures: found.signatures,
    timestamps,
    foreign,
    problems: findings.problems,
    notes: findings.notes,
    orphans: orphans.map(({ path }) => path),
  };
  return { report, log: found, orphans, unreadRows: artifacts.isWhole ? [] : artifacts.problems };
}

/** Each with the newest commit of a run that has brought a row of it. */
async function artifactsIn(
  archive: Archive,
  { index }: LogFindings,
  signal: AbortSignal | undefined,
): Promise<NamedArtifacts> {
  const newestOf = new Map<string, number>();
  for (const { run, number } of index.commits) newestOf.set(run, number);
  return NamedArtifacts.read(archive, {
    files: index.contents.files.values(),
    markOf: (row) => newestOf.get(String(row['run_id'])) ?? 0,
    marked: ['run_id'],
    signal,
  });
}

/** Each format of an archive has all rows: those of one are counted. */
function rowsByTable(files: Iterable<FileEntry>): Record<string, number> {
  const byFormat = new Map<string, Map<string, number>>();
  for (const { path, table, rows } of files) {
    const extension = partitionOf(path)?.extension ?? '';
    const counts = byFormat.get(table) ?? new Map<string, number>();
    byFormat.set(table, counts.set(extension, (counts.get(extension) ?? 0) + rows));
  }
  return Object.fromEntries(
    [...byFormat].map(([table, counts]) => [table, Math.max(...counts.values())]),
  );
}

function wantedAfter({ report, log }: Inspection): (path: string, mark?: number) => boolean {
  const wrong = new Set([...report.problems, ...report.notes].map(({ path }) => path));
  const { files } = log.index.contents;
  const isKnown = (path: string, mark: number) =>
    isArtifactPath(path) ? mark <= log.newest : files.has(path) || log.manifests.has(path);
  return (path, mark = 0) =>
    wrong.has(path) || (!isKnown(path, mark) && !path.startsWith(SNAPSHOTS_PREFIX));
}

function headOf({ newest, last }: LogFindings): CommitRef | null {
  return last?.number === newest ? { number: newest, digest: last.digest } : null;
}

/** Undefined if it cannot be read. */
async function verifyIdentity(
  { storage }: Archive,
  findings: Findings,
): Promise<ArchiveIdentity | undefined> {
  try {
    const bytes = await getIfThere(storage, IDENTITY_PATH);
    if (!bytes) {
      findings.add({ path: IDENTITY_PATH, problem: 'missing', detail: 'is missing' });
      return undefined;
    }
    const identity = decodeIdentity(storage.location, bytes);
    if (!encodeIdentity(identity).equals(bytes)) {
      const detail = 'is damaged: its bytes are not as they were written';
      findings.add({ path: IDENTITY_PATH, problem: 'digest', detail });
    }
    return identity;
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    findings.add(error);
    return undefined;
  }
}
