/** Repairs an archive, and reports what was repaired and what was not. */
import type { Archive } from '../archive/archive.js';
import { commitNumberOf, STATES_PREFIX } from '../archive/paths.js';
import { repairDelta } from '../archive/delta/verify-delta.js';
import { inspectArchive, type Inspection, type VerifyOptions } from '../archive/verify/verify.js';
import type { VerifyProblem } from '../archive/verify/findings.js';
import type { VerifyReport } from '../archive/verify/verify-report.js';
import type { Runtime } from '../base/runtime.js';
import type { RowFormat } from '../formats/format.js';
import { repairArtifacts, type RepairedArtifacts } from './repair-artifacts.js';
import { contradictsLog, rebuildStates, removeSnapshots } from './rebuild-states.js';
import { sweepOrphans, type Swept } from './quarantine.js';
import { withRepairService, type ServiceAccess, type ServiceChoices } from './service-access.js';

/** Options of `repair` of an open archive. */
export interface RepairChoices extends Omit<VerifyOptions, 'formats' | 'signal'> {
  /** Orphans younger than this stay. Default 7 days. */
  readonly orphanAgeMs?: number | undefined;
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
  /** Paths of states that were rebuilt, and of snapshots that were removed. */
  readonly states: readonly string[];
  /** Paths of objects of the Delta tables that were written again from the log, or deleted. */
  readonly delta: readonly string[];
  /** Problems that remain. */
  readonly problems: readonly VerifyProblem[];
}

const DEFAULT_ORPHAN_AGE_MS = 7 * 86_400_000;

interface Repair extends Runtime {
  /** All known row formats; those of the archive are used. */
  readonly formats: readonly RowFormat[];
  readonly orphanAgeMs: number;
  /** Undefined: lost artifacts are not fetched. */
  readonly access: ServiceAccess | undefined;
}

/** @throws {UsageError} it is another service than the archive's @throws as `repairArchive` */
export async function verifyAndRepair(
  archive: Archive,
  { service, orphanAgeMs = DEFAULT_ORPHAN_AGE_MS, ...verifying }: RepairChoices,
  given: Omit<Repair, 'orphanAgeMs' | 'access'>,
): Promise<RepairReport> {
  const repair = async (access?: ServiceAccess): Promise<RepairReport> =>
    repairArchive(archive, await inspectArchive(archive, { ...verifying, ...given }), {
      ...given,
      orphanAgeMs,
      access,
    });
  return service ? withRepairService(archive, service, given, repair) : repair();
}

/**
 * @param inspection of this archive, just made
 * @throws {JobvaultError} the service refuses the key, or the storage fails
 */
async function repairArchive(
  archive: Archive,
  { report, log, orphans }: Inspection,
  { formats, clock, random, access, orphanAgeMs, signal }: Repair,
): Promise<RepairReport> {
  const foreign = reasonInIdentity(report);
  const source = foreign === null ? access : undefined;
  const artifacts = await repairArtifacts(
    { archive, formats, access: source },
    log,
    report.problems,
  );
  const held = foreign ?? (await reasonToHold(archive, report, log));
  const wrong = held === null ? [...report.problems, ...report.notes] : [];
  const states = [
    ...(await rebuildStates(archive, log, wrong)),
    ...(await removeSnapshots(archive, wrong)),
  ];
  const { storage, identity } = archive;
  const delta = await repairDelta(
    { storage, identity, index: log.index, signal },
    wrong.map(({ path }) => path),
  );
  const swept =
    held === null
      ? await sweepOrphans({ archive, clock, random, minAgeMs: orphanAgeMs, signal }, orphans, log)
      : { quarantine: null, moved: [], young: orphans.map(({ path }) => path) };
  const repaired = new Set([...artifacts.repaired, ...states, ...delta]);
  const problems = report.problems.filter(({ path }) => !repaired.has(path));
  return { found: report, held, orphans: swept, artifacts, states, delta, problems };
}

/** Without a sound identity, the service of the archive is unknown. */
function reasonInIdentity({ problems }: VerifyReport): string | null {
  const found = problems.find(({ problem }) => problem === 'identity');
  return found ? `the identity of the archive is unknown: ${found.path} ${found.detail}` : null;
}

/** An incomplete log may have named apparent orphans, and leads to wrong states. */
async function reasonToHold(
  archive: Archive,
  { problems }: VerifyReport,
  log: Inspection['log'],
): Promise<string | null> {
  const inLog = problems.find(
    ({ path, problem }) => commitNumberOf(path) !== undefined || problem === 'chain',
  );
  if (inLog) return `the log is not whole: ${inLog.path} ${inLog.detail}`;
  if (!log.isSound) return 'the log is not whole';
  for (const { path, problem } of problems) {
    if (problem !== 'state' || !path.startsWith(STATES_PREFIX)) continue;
    if (await contradictsLog(archive, path, log)) {
      return `${path} was made from another log: one of the two was changed`;
    }
  }
  return null;
}
