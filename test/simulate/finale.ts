/** Checks what must hold after the last disturbance: everything in the service is archived, once, and all deletions are recorded. */
import { openArchiveIn } from '../../src/archive/open-archive.js';
import { archivedSessions } from './archived-sessions.js';
import { ArchiveView } from './archive-view.js';
import {
  FORMATS,
  expectIntact,
  expectReadAlike,
  hasReadAll,
  simulatedExport,
  simulatedPrune,
} from './runs.js';
import type { Simulation } from './simulation.js';
import type { Gap } from '../../src/export/jobs/gap.js';
import type { SimService } from './sim-service.js';
import type { SimProcess } from './sim-process.js';
import { Violation } from './violation.js';

type Alone = (kind: string, run: (process: SimProcess) => Promise<unknown>) => Promise<void>;

export async function expectAllProven(simulation: Simulation, alone: Alone): Promise<void> {
  const { invariants, service } = simulation;
  simulation.heal();
  const { users } = service;
  // one that notices a doubt, one that reads the two again, and one where that brought another to light
  let nights = service.misreads.wereAny ? 3 : 1;
  while (nights-- > 0) {
    await alone('full export', async (process) => {
      const startedAt = service.time;
      const around = simulation.around(process);
      const { summary, error } = await simulatedExport(around, { users, full: true });
      if (error !== undefined) throw error as Error;
      const view = new ArchiveView(simulation.place);
      const gaps = summary.gaps.filter(
        (gap) =>
          !isOfGone(service, gap) &&
          !isDoubtOfGone(service, gap) &&
          !isOfForeignJob(service, gap) &&
          !isUnseen(service, gap) &&
          !isDoubtOfForeignJobs(service, view, gap),
      );
      if (gaps.length > 0 && nights > 0) return;
      if (gaps.length > 0 || !(hasReadAll(summary.status) || summary.status === 'gaps')) {
        throw new Violation('complete', `${summary.status}: ${JSON.stringify(gaps)}`);
      }
      nights = 0;
      invariants.exportEnded(startedAt, users, true);
      invariants.expectTrueJobs();
      invariants.expectDeltaAtHead();
    });
  }
  await expectIntact(await openArchiveIn(simulation.place.peek(), FORMATS));
  await alone('export', async (process) => {
    const around = simulation.around(process);
    const { summary, error } = await simulatedExport(around, { users, full: false });
    if (error !== undefined) throw error as Error;
    const { archived } = summary.jobs;
    if (archived > 0) throw new Violation('once', `${archived} unchanged jobs archived again`);
    invariants.expectDeltaAtHead();
  });
  await alone('prune', async (process) => {
    // settles what earlier runs began; nothing is left to delete
    const rules = { sessions: ['no such session'] };
    const { error } = await simulatedPrune(simulation.around(process), rules);
    if (error !== undefined) throw error as Error;
  });
  invariants.expectDeltaAtHead();
  invariants.expectDeletedArchived();
  invariants.expectErased('alone');
  expectDeletionsTold(simulation);
  const archive = await openArchiveIn(simulation.place.peek(), FORMATS);
  await expectIntact(archive);
  await expectReadAlike(archive);
}

/** The service had the session no more before its history was read: a run tells of it until somebody accepts that. */
function isOfGone({ sessions }: SimService, { session, is_absent: isAbsent }: Gap): boolean {
  return isAbsent === true && session !== null && !sessions.has(session);
}

/** Nothing can show any more that a session has a history of its own, if the other one is gone. */
function isDoubtOfGone({ sessions }: SimService, { shared_with: other }: Gap): boolean {
  return other !== undefined && !sessions.has(other);
}

/** Nothing shows that the key is the right one, if all sessions of a user are gone, and none of anybody else was archived. */
function isUnseen({ everySession }: SimService, { user, session, reason }: Gap): boolean {
  const isOfUser = session === null && reason.includes('may be that of another project');
  return isOfUser && [...everySession].some((one) => one.user === user && one.gone !== undefined);
}

/** A misdirected history brought the job: the session's own history cannot bring its file. */
function isOfForeignJob({ sessions }: SimService, { session, job }: Gap): boolean {
  const own = sessions.get(session ?? '');
  return own !== undefined && job !== null && !own.jobs.some(({ id }) => id === job);
}

/** A misdirected history brought all of the jobs that were archived before the doubt: so it says. */
function isDoubtOfForeignJobs(
  { sessions }: SimService,
  view: ArchiveView,
  { user, session, lost_below: below }: Gap,
): boolean {
  const own = sessions.get(session ?? '');
  if (own === undefined || below === undefined) return false;
  const ids = new Set(own.jobs.map(({ id }) => id));
  const rows = view.rows('jobs').filter((row) => row['user_id'] === user);
  const before = rows.filter(
    (row) => row['session_id'] === session && Number(row['job_index']) < below,
  );
  const withdrawn = new Set(before.flatMap((row) => (row['is_withdrawn'] ? [row['job_id']] : [])));
  return before.every(({ job_id: id }) => withdrawn.has(id) || !ids.has(String(id)));
}

/** Each session that our DELETE removed has a row in `deletions`, or an intent that could not be settled. */
function expectDeletionsTold({ place, service, invariants, conditions }: Simulation): void {
  const view = new ArchiveView(place);
  const { doubled } = archivedSessions(view);
  if (doubled.length > 0) throw new Violation('doubled', doubled.join(', '));
  const told = new Set(view.rows('deletions').map((row) => String(row['session_id'])));
  const intents = [...view.objects]
    .filter(([path]) => path.startsWith('_intents/'))
    .map(([, bytes]) => (JSON.parse(Buffer.from(bytes).toString()) as { session: string }).session);
  // a run that is taken for dead may find its intent gone
  if (conditions.hasFalseDeaths) return;
  for (const { id, gone } of service.everySession) {
    if (!gone || gone.by === 'people' || invariants.erased.has(id)) continue;
    if (!told.has(id) && !intents.includes(id)) {
      throw new Violation('told', `${id} was deleted by ${gone.by}, and no row tells`);
    }
  }
}
