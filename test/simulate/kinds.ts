/** What a process of each kind does, and what must hold after its success. */
import { plainHolds } from '../support/store/plain-holds.js';
import { archivedSessions } from './archived-sessions.js';
import { ArchiveView } from './archive-view.js';
import {
  simulatedCompaction,
  simulatedCopy,
  simulatedDrill,
  simulatedErasure,
  simulatedExpiry,
  hasReadAll,
  simulatedExport,
  simulatedHold,
  simulatedPrune,
  simulatedVerify,
} from './runs.js';
import { simulatedEnqueue, simulatedLosses, simulatedRunEnd } from './queued-runs.js';
import type { Simulation } from './simulation.js';
import { knownUser, sessionOf } from './spellings.js';
import type { SimProcess } from './sim-process.js';
import { Violation } from './violation.js';

export type Kind =
  | 'export'
  | 'full export'
  | 'prune'
  | 'compact'
  | 'erase'
  | 'copy'
  | 'verify'
  | 'drill'
  | 'hold'
  | 'release'
  | 'expire';
export type Run = (process: SimProcess) => Promise<unknown>;

export function runOf(simulation: Simulation, kind: Kind): Run {
  const graceMs = simulation.scheduler.anyOf([0, 0, 60_000]);
  switch (kind) {
    case 'export':
    case 'full export':
      return (process) => exported(simulation, process, kind === 'full export');
    case 'prune':
      return (process) => pruned(simulation, process);
    case 'compact':
      return (process) => simulatedCompaction(simulation.around(process), graceMs);
    case 'erase':
      return (process) => erased(simulation, process);
    case 'copy':
      return (process) => copied(simulation, process);
    case 'hold':
      return (process) => held(simulation, process);
    case 'release':
      return (process) => released(simulation, process);
    case 'expire':
      return (process) => expired(simulation, process);
    case 'drill':
      return (process) => drilled(simulation, process);
    case 'verify':
      return (process) => simulatedVerify(simulation.around(process));
  }
}

async function exported(simulation: Simulation, process: SimProcess, full: boolean): Promise<void> {
  const { invariants, service, conditions } = simulation;
  const startedAt = service.time;
  const users = simulation.spelledUsers();
  const isComplete =
    conditions.queueLosses === null
      ? hasReadAll(await exportUsers(simulation, process, { users, full }))
      : await exportFromQueue(simulation, process, { users, full });
  if (isComplete) invariants.exportEnded(startedAt, users, full);
}

async function exportUsers(
  simulation: Simulation,
  process: SimProcess,
  options: Parameters<typeof simulatedExport>[1],
): Promise<string> {
  const { summary, error } = await simulatedExport(simulation.around(process), options);
  if (error !== undefined) throw error as Error;
  return summary.status;
}

/**
 * As a fleet does it, with a queue that loses users: those that the archive says are lost are put back once.
 *
 * @returns whether all users of the run are complete
 */
async function exportFromQueue(
  simulation: Simulation,
  process: SimProcess,
  { users, full }: { readonly users: readonly string[]; readonly full: boolean },
): Promise<boolean> {
  const { scheduler, service, conditions } = simulation;
  const { queueLosses } = conditions;
  const run = await simulatedEnqueue(simulation.around(process), users);
  const settled = new Set<string>();
  let offered = users.filter(() => !scheduler.chance(queueLosses ?? 0));
  for (let round = 0; round < 2 && offered.length > 0; round++) {
    const status = await exportUsers(simulation, process, { users: offered, full, queue: run });
    if (!hasReadAll(status)) return false;
    for (const user of offered) settled.add(user);
    offered = await simulatedLosses(simulation.around(process), run, settled);
  }
  // the worker that is idle, or that is to end the run, looks as well
  if ((await simulatedLosses(simulation.around(process), run, settled)).length > 0) return false;
  await simulatedRunEnd(simulation.around(process), run);
  // each export compares the histories that it has read itself
  return !service.misreads.wereAny;
}

/** Limits of a prune: deletions and requests. */
const DELETIONS: readonly { maxDelete: number; maxRequests?: number; maxDurationMs?: number }[] = [
  { maxDelete: 1 },
  { maxDelete: 3 },
  { maxDelete: 100, maxRequests: 7 },
  { maxDelete: 100, maxRequests: 25 },
  { maxDelete: 100, maxDurationMs: 10_000 },
  { maxDelete: 100 },
];

async function pruned(simulation: Simulation, process: SimProcess): Promise<void> {
  const { maxDelete, ...limits } = simulation.scheduler.anyOf(DELETIONS);
  const rules = { all: true, holds: plainHolds(simulation.holds), allowUnknownHolds: true };
  const { error } = await simulatedPrune(
    simulation.around(process),
    { ...rules, maxDelete },
    limits,
  );
  if (error !== undefined) throw error as Error;
}

async function copied(simulation: Simulation, process: SimProcess): Promise<void> {
  const target = simulation.copy.open(process, () => undefined);
  await simulatedCopy(simulation.around(process), target);
  simulation.invariants.copyEnded(simulation.copy);
}

/** Whatever others do meanwhile: all that was archived comes back. */
async function drilled(simulation: Simulation, process: SimProcess): Promise<void> {
  const { scheduler, invariants } = simulation;
  const { sessions } = archivedSessions(new ArchiveView(simulation.place));
  if (sessions.size === 0) return;
  const report = await simulatedDrill(simulation.around(process), scheduler.anyOf([1, 1, 0.3]));
  invariants.drillEnded(report);
}

/** Mostly sessions that the service no longer has: the others may be archived again. */
async function erased(simulation: Simulation, process: SimProcess): Promise<void> {
  const { invariants, service, scheduler, conditions } = simulation;
  const { sessions } = archivedSessions(new ArchiveView(simulation.place));
  const ids = new Set([...sessions.keys()].map(sessionOf));
  const archived = service.everySession.filter(({ id }) => ids.has(id));
  const candidates = archived.filter(
    ({ gone }) => gone !== undefined || scheduler.chance(conditions.erasesLiving),
  );
  if (candidates.length === 0) return;
  const { id, user } = scheduler.anyOf(candidates);
  const isHeld = [...simulation.holds].some((held) => [id, user].includes(knownUser(held)));
  if (!isHeld && !invariants.erased.has(id)) invariants.erased.set(id, undefined);
  const begunAt = service.time;
  const { status } = await simulatedErasure(simulation.around(process), {
    sessions: [id],
    holds: plainHolds(simulation.holds),
  });
  if (status !== 'erased') return;
  if (isHeld) throw new Violation('held', `${id} was erased`);
  invariants.eraseEnded(id, begunAt);
}

async function held(simulation: Simulation, process: SimProcess): Promise<void> {
  const { invariants, scheduler, service } = simulation;
  const keys = [...archivedSessions(new ArchiveView(simulation.place)).sessions.keys()];
  const ids = [...new Set(keys.map(sessionOf))];
  if (ids.length === 0) return;
  const id = scheduler.anyOf(ids);
  // a concurrent release may come after the hold
  if (invariants.releasing.has(id)) return;
  await simulatedHold(simulation.around(process), 'hold', id);
  if (!invariants.releasing.has(id)) invariants.heldSince(id, service.time);
}

async function released(simulation: Simulation, process: SimProcess): Promise<void> {
  const { invariants, scheduler } = simulation;
  const ids = [...invariants.held.keys()];
  if (ids.length === 0) return;
  const id = scheduler.anyOf(ids);
  invariants.releasing.add(id);
  invariants.held.delete(id);
  await simulatedHold(simulation.around(process), 'release', id);
  invariants.releasing.delete(id);
}

/** The age for jobs whose ids contain an old time. */
const OLD_MS = 24 * 3_600_000;

async function expired(simulation: Simulation, process: SimProcess): Promise<void> {
  const { invariants, service } = simulation;
  const begunAt = service.time;
  const { sessions } = await simulatedExpiry(simulation.around(process), {
    olderThanMs: OLD_MS,
    confirm: (plan) => {
      for (const { session, outcome } of plan.sessions) {
        if (outcome === 'planned' && !invariants.erased.has(session)) {
          invariants.erased.set(session, undefined);
        }
      }
      return Promise.resolve(true);
    },
  });
  for (const { session, outcome } of sessions) {
    if (outcome === 'erased') invariants.eraseEnded(session, begunAt);
  }
}
