/** Repairs an archive, and reports what was repaired and what was not. */
import { type Archive } from '../archive/archive.js';
import {
  commitNumberOf,
  manifestOf,
  throughOfSnapshot,
  throughOfStates,
} from '../archive/paths.js';
import { deltaPaths, repairDelta } from '../archive/delta/verify-delta.js';
import { repairWorkbooks } from '../archive/workbooks/verify-workbooks.js';
import {
  inspectArchive,
  type Inspection,
  type VerifyOptions,
  type VerifyReport,
} from '../archive/verify/verify.js';
import type { VerifyProblem } from '../archive/verify/findings.js';
import { repairArtifacts, type RepairedArtifacts } from './repair-artifacts.js';
import { withRepairService, type ServiceAccess, type ServiceChoices } from './service-access.js';
import type { LogFindings } from '../archive/verify/verify-log.js';
import { UsageError } from '../base/error.js';
import { deleteObjects } from '../storage/small-objects.js';
import { type Swept, sweepOrphans } from './sweep-orphans.js';

/** Options of `repair` of an open archive. */
export interface RepairChoices extends Omit<VerifyOptions, 'signal'> {
  /** Orphans younger than this stay, and artifacts for two days at least. Default 7 days. */
  readonly orphanAgeMs?: number | undefined;
  /** Whether the Delta tables are made of an archive that has none, such as of one with `--no-delta`. Default false. */
  readonly makesDelta?: boolean | undefined;
  /** Where lost artifacts are fetched from. Default: they are not fetched. */
  readonly service?: ServiceChoices | undefined;
}

export interface RepairReport {
  /** The problems before the repair. */
  readonly found: VerifyReport;
  /** Why nothing was moved or rebuilt; null if the log can be trusted. */
  readonly held: string | null;
  readonly orphans: Swept;
  readonly artifacts: RepairedArtifacts;
  /** Paths of snapshots and states that were removed. */
  readonly snapshots: readonly string[];
  /** Paths of objects of the Delta tables that were written again from the log, or deleted. */
  readonly delta: readonly string[];
  /** Paths of workbooks of runs that were made again, or deleted. */
  readonly workbooks: readonly string[];
  /** Problems that remain. */
  readonly problems: readonly VerifyProblem[];
}

const DEFAULT_ORPHAN_AGE_MS = 7 * 86_400_000;

interface Repair {
  readonly signal: AbortSignal;
  readonly orphanAgeMs: number;
  readonly makesDelta: boolean;
  /** Undefined: lost artifacts are not fetched. */
  readonly access: ServiceAccess | undefined;
}

/**
 * @throws {UsageError} it is another service than the archive's, or Delta tables are asked for where there is no Parquet
 * @throws as `repairArchive`
 */
export async function verifyAndRepair(
  archive: Archive,
  choices: RepairChoices,
  signal: AbortSignal,
): Promise<RepairReport> {
  const { service, orphanAgeMs = DEFAULT_ORPHAN_AGE_MS, makesDelta = false, ...rest } = choices;
  if (makesDelta && !archive.identity.formats.includes('parquet')) {
    throw new UsageError('the archive has no Parquet files, so it cannot have Delta tables');
  }
  const repair = async (access?: ServiceAccess): Promise<RepairReport> =>
    repairArchive(archive, await inspectArchive(archive, { ...rest, signal }), {
      signal,
      orphanAgeMs,
      makesDelta,
      access,
    });
  return service ? withRepairService(archive, service, signal, repair) : repair();
}

/**
 * @param inspection of this archive, just made
 * @throws {JobvaultError} the service refuses the key, or the storage fails
 */
async function repairArchive(
  archive: Archive,
  { report, log, orphans, unreadRows }: Inspection,
  { access, orphanAgeMs, makesDelta, signal }: Repair,
): Promise<RepairReport> {
  const foreign = reasonInIdentity(report);
  const source = foreign === null ? access : undefined;
  const artifacts = await repairArtifacts({ archive, access: source }, log, report.problems);
  const held = foreign ?? reasonToHold(report, log, orphans) ?? reasonInRows(unreadRows);
  const wrong = held === null ? [...report.problems, ...report.notes] : [];
  const snapshots = await removeSnapshots(archive, wrong);
  const { storage, identity } = archive;
  const hasNone = makesDelta && held === null && !(await archive.delta.isThere());
  const delta = await repairDelta({ storage, identity, index: log.index, signal }, [
    ...wrong.map(({ path }) => path),
    ...(hasNone ? deltaPaths(log.index) : []),
  ]);
  const swept =
    held === null
      ? await sweepOrphans({ archive, minAgeMs: orphanAgeMs, signal }, orphans, log)
      : { quarantine: null, moved: [], young: orphans.map(({ path }) => path) };
  const workbooks = await repairWorkbooks(
    { archive, signal },
    wrong.map(({ path }) => path),
  );
  const repaired = new Set([...artifacts.repaired, ...snapshots, ...delta]);
  const problems = report.problems.filter(({ path }) => !repaired.has(path));
  return { found: report, held, orphans: swept, artifacts, snapshots, delta, workbooks, problems };
}

/** Without a sound identity, the service of the archive is unknown. */
function reasonInIdentity({ problems }: VerifyReport): string | null {
  const found = problems.find(({ problem }) => problem === 'identity');
  return found ? `the identity of the archive is unknown: ${found.path} ${found.detail}` : null;
}

/** An incomplete log may have named apparent orphans, and gives wrong snapshots. */
function reasonToHold(
  { problems }: VerifyReport,
  log: LogFindings,
  orphans: Inspection['orphans'],
): string | null {
  const inLog = problems.find(
    ({ path, problem }) => commitNumberOf(path) !== undefined || problem === 'chain',
  );
  if (inLog) return `the log is not whole: ${inLog.path} ${inLog.detail}`;
  if (!log.isSound) return 'the log is not whole';
  const next = log.newest + 1;
  const waiting = orphans.find(({ path }) => manifestOf(path)?.number === next);
  if (!waiting) return null;
  return `${waiting.path} is of commit ${next}, which is not there: a run was killed before it put it, or this log was cut; compare --expect-head. The next export takes the number`;
}

/** Rows that cannot be read may name apparent orphans. */
function reasonInRows([unread]: Inspection['unreadRows']): string | null {
  return unread ? `it is not known which files rows name: ${unread.path} ${unread.detail}` : null;
}

/** Removes snapshots and states of users that differ from the log or cannot be read: readers use another one, and a run writes the next. */
async function removeSnapshots(
  { storage }: Archive,
  problems: readonly Pick<VerifyProblem, 'path'>[],
): Promise<string[]> {
  const wrong = problems.flatMap(({ path }) =>
    (throughOfSnapshot(path) ?? throughOfStates(path)) === undefined ? [] : [path],
  );
  await deleteObjects(storage, wrong);
  return wrong;
}
