/** Repairs an archive from existing data, and reports what was repaired and what was not. */
import type { Archive } from '../archive/archive.js';
import { commitNumberOf, STATES_PREFIX } from '../archive/paths.js';
import { inspectArchive, type Inspection, type VerifyOptions } from '../archive/verify/verify.js';
import type { VerifyProblem } from '../archive/verify/findings.js';
import type { VerifyReport } from '../archive/verify/verify-report.js';
import type { Clock } from '../base/clock.js';
import type { Random } from '../base/random.js';
import type { Runtime } from '../base/runtime.js';
import type { RowFormat } from '../formats/format.js';
import { mendArtifacts, type MendedArtifacts } from './mend-artifacts.js';
import { isWitness, mendStates } from './mend-states.js';
import { sweepOrphans, type Swept } from './quarantine.js';
import { withService, type ServiceAccess, type ServiceChoices } from './service-access.js';

export interface RepairOptions {
  readonly formats: readonly RowFormat[];
  readonly clock: Clock;
  readonly random: Random;
  /** Orphans younger than this stay. Default 7 days. */
  readonly orphanAgeMs?: number | undefined;
  /** Where lost artifacts are fetched from; undefined: they are not. */
  readonly access?: ServiceAccess | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of `repair` of an open archive. */
export interface RepairChoices
  extends Omit<VerifyOptions, 'formats' | 'signal'>, Pick<RepairOptions, 'orphanAgeMs'> {
  /** Lost artifacts are fetched again from it. Default: they are not. */
  readonly service?: ServiceChoices | undefined;
}

export interface RepairReport {
  /** The problems before the repair. */
  readonly found: VerifyReport;
  /** Why nothing was moved or rebuilt; null where the log can be trusted. */
  readonly held: string | null;
  readonly orphans: Swept;
  readonly artifacts: MendedArtifacts;
  /** Paths of states that were built again. */
  readonly states: readonly string[];
  /** What is wrong still. */
  readonly problems: readonly VerifyProblem[];
}

const REPAIR_DEFAULTS = { orphanAgeMs: 7 * 86_400_000 } as const;

/** @throws {UsageError} the service is another one than the archive's @throws as `repairArchive` */
export async function verifyAndRepair(
  archive: Archive,
  { service, orphanAgeMs, ...verifying }: RepairChoices,
  given: Runtime & { readonly formats: readonly RowFormat[] },
): Promise<RepairReport> {
  const mend = async (access?: ServiceAccess): Promise<RepairReport> =>
    repairArchive(archive, await inspectArchive(archive, { ...verifying, ...given }), {
      ...given,
      orphanAgeMs,
      access,
    });
  return service ? withService(archive, service, given, mend) : mend();
}

/**
 * @param inspection of this archive, just made
 * @throws {JobvaultError} the service refuses the key, or the storage fails
 */
async function repairArchive(
  archive: Archive,
  { report, log, orphans }: Inspection,
  options: RepairOptions,
): Promise<RepairReport> {
  const { formats, clock, random, access, signal } = options;
  const minAgeMs = options.orphanAgeMs ?? REPAIR_DEFAULTS.orphanAgeMs;
  const foreign = reasonInIdentity(report);
  const source = foreign === null ? access : undefined;
  const artifacts = await mendArtifacts({ archive, formats, access: source }, log, report.problems);
  const held = foreign ?? (await reasonToHold(archive, report, log));
  const states = held === null ? await mendStates(archive, log, report.problems) : [];
  const swept =
    held === null
      ? await sweepOrphans({ archive, clock, random, minAgeMs, signal }, orphans, log)
      : { quarantine: null, moved: [], young: orphans.map(({ path }) => path) };
  const mended = new Set([...artifacts.mended, ...states]);
  const problems = report.problems.filter(({ path }) => !mended.has(path));
  return { found: report, held, orphans: swept, artifacts, states, problems };
}

/** Whose archive it is decides which service it may be mended from. */
function reasonInIdentity({ problems }: VerifyReport): string | null {
  const found = problems.find(({ problem }) => problem === 'identity');
  return found ? `the identity of the archive is unknown: ${found.path} ${found.detail}` : null;
}

/** A log that is not whole may have named what looks like an orphan, and gives wrong states. */
async function reasonToHold(
  archive: Archive,
  { problems }: VerifyReport,
  log: Inspection['log'],
): Promise<string | null> {
  const inLog = problems.find(({ path }) => commitNumberOf(path) !== undefined);
  if (inLog) return `the log is not whole: ${inLog.path} ${inLog.detail}`;
  if (!log.isSound) return 'the log is not whole';
  for (const { path, problem } of problems) {
    if (problem !== 'state' || !path.startsWith(STATES_PREFIX)) continue;
    if (await isWitness(archive, path, log)) {
      return `${path} was made from another log than stands here: one of the two was changed`;
    }
  }
  return null;
}
