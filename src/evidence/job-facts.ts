/** What was set aside of a session or a job, read again and held against what the log names. */
import { IntegrityError } from '../archive/verify/integrity-error.js';
import { rawJobsTable, jobsTable, sessionsTable } from '../model/tables.js';
import type { ArtifactFact, Fact, SessionFact } from './facts.js';
import type { JobVersion } from './item-pages.js';
import type { JobPlan, SessionPlan } from './plan.js';
import type { Scratch } from './scratch.js';

export interface JobFacts extends JobVersion {
  /** In the order of their blocks. */
  readonly artifacts: readonly ArtifactFact[];
}

/** Every version that there is a row of, oldest first. @throws {IntegrityError} one is missing or doubled */
export async function factsOfSession(
  scratch: Scratch<Fact>,
  plan: SessionPlan,
): Promise<SessionFact[]> {
  const facts = await readFacts(scratch, plan);
  const sessions = facts.filter((fact) => fact.kind === 'session');
  const byVersion = inVersions(sessionsTable.name, sessions, plan.state.version);
  return byVersion;
}

/** Every version, oldest first. @throws {IntegrityError} one is missing or doubled */
export async function factsOfJob(
  scratch: Scratch<Fact>,
  session: SessionPlan,
  job: JobPlan,
): Promise<JobFacts[]> {
  const facts = await readFacts(scratch, job);
  const { version } = job.state;
  const jobs = facts.filter((fact) => fact.kind === 'job');
  const records = facts.filter((fact) => fact.kind === 'record');
  const artifacts = facts.filter((fact) => fact.kind === 'artifact');
  const recordsInOrder = inVersions(rawJobsTable.name, records, version);
  return inVersions(jobsTable.name, jobs, version).flatMap((fact, index) => {
    const record = recordsInOrder[index];
    if (!record) return []; // both have every version
    const own = artifacts.filter((artifact) => artifact.version === fact.version);
    return [{ session, job, fact, record, artifacts: own.sort((a, b) => a.block - b.block) }];
  });
}

async function readFacts(
  scratch: Scratch<Fact>,
  { pieces }: { readonly pieces: SessionPlan['pieces'] },
): Promise<Fact[]> {
  const facts: Fact[] = [];
  for (const piece of pieces) facts.push(await scratch.read(piece));
  return facts;
}

function inVersions<T extends { readonly version: number; readonly path: string }>(
  table: string,
  facts: readonly T[],
  newest: number,
): T[] {
  const sorted = facts.toSorted((a, b) => a.version - b.version);
  for (const [index, { version, path }] of sorted.entries()) {
    if (sorted[index - 1]?.version !== version) continue;
    throw new IntegrityError(path, 'rows', `holds version ${version} of something a second time`);
  }
  if (sorted.length === newest) return sorted;
  throw new IntegrityError(
    `tables/${table}`,
    'rows',
    `has ${sorted.length} of ${newest} versions that the log names of something that belongs into the pack`,
  );
}
