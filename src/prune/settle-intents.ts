/** Finds out what became of a deletion that an earlier run had begun and did not live to record. */
import type { Archive, ArchiveTask } from '../archive/archive.js';
import { runLeasePath } from '../archive/paths.js';
import { isLive } from '../archive/state/archived-session.js';
import { leaseStanding } from '../archive/runs/lease.js';
import { asRunId, type UserId } from '../model/ids.js';
import { keyOfAnySpelling } from '../model/user-spelling.js';
import type { DeletionLog } from './deletion-log.js';
import type { Intent, Intents } from './intents.js';
import { ProjectKeyCheck } from './project-key-check.js';
import { addIntent, type PruneSummary } from './prune-summary.js';
import { refusal, type PruneRefusal } from './refusal.js';
import type { ServiceFailureTracker } from './service-failure-tracker.js';
import type { ServiceView } from './service-view.js';

export interface IntentTools extends ArchiveTask {
  readonly intents: Intents;
  readonly view: ServiceView;
  readonly watch: ServiceFailureTracker;
  readonly deletions: DeletionLog;
  readonly summary: PruneSummary;
  /** Does the work while no other run is at work on the user. */
  readonly alone: <T>(user: UserId, work: () => Promise<T>) => Promise<T>;
}

/**
 * Settles all that there are, and tells the summary.
 *
 * @returns sessions, by `keyOfAnySpelling`, whose earlier deletion could not be settled: they are left alone
 * @throws what ends the run
 */
export async function settleIntents(options: IntentTools): Promise<ReadonlySet<string>> {
  const { archive, signal, intents, view, watch, deletions, summary, alone } = options;
  const undecided = new Set<string>();
  const open = await intents.list();
  const intended = new Set(open.map(({ user, session }) => keyOfAnySpelling(user, session)));
  const keyCheck = new ProjectKeyCheck(archive, view);
  for (const intent of open) {
    signal.throwIfAborted();
    const tools = { archive, intents, view, keyCheck, deletions, intended };
    const answer = await alone(intent.user, () =>
      watch.answerOr(settleIntent(tools, intent), 'unconfirmed'),
    );
    const settled = answer.ok ? answer.value : answer.refusal;
    if (settled === 'confirmed') addIntent(summary, intent, undefined);
    if (typeof settled === 'string') continue;
    undecided.add(keyOfAnySpelling(intent.user, intent.session));
    addIntent(summary, intent, settled);
  }
  // what is recorded is not checked again
  await deletions.flush();
  return undecided;
}

interface SettlingTools {
  readonly archive: Archive;
  readonly intents: Intents;
  readonly view: ServiceView;
  readonly keyCheck: ProjectKeyCheck;
  readonly deletions: DeletionLog;
  /** Sessions, by `keyOfAnySpelling`, that other intents mean: they need not be listed any more. */
  readonly intended: ReadonlySet<string>;
}

/** `known`: recorded already. `dropped`: still there, to be planned again like any other; its intent may stay. */
type SettledIntent = 'confirmed' | 'dropped' | 'known' | PruneRefusal;

/**
 * Intents only go forward: a deletion that happened is recorded, one that did not is forgotten.
 *
 * @throws {ServiceError} the service says neither this nor that
 */
export async function settleIntent(tools: SettlingTools, intent: Intent): Promise<SettledIntent> {
  const { archive, intents, view, keyCheck, deletions, intended } = tools;
  const { user, session, commit, job_count: jobCount } = intent;
  const known = (await archive.states.load(user)).sessions.get(session);
  // nobody marks as gone what an intent is about but the run that found it gone
  if (known && !isLive(known)) {
    await intents.remove(intent); // its commit stands; only the tidying up was missing
    return 'known';
  }
  if (!(await view.isGone(intent))) {
    const path = runLeasePath(asRunId(intent.run));
    const standing = await leaseStanding({ ...archive, path });
    if (standing === 'alive') {
      return refusal('unconfirmed', 'another run of this machine is deleting it at this moment');
    }
    // a run elsewhere may go on: until it is known to be dead, an erasure must see its intent (I-50)
    if (standing !== 'unknown') await intents.remove(intent);
    return 'dropped';
  }
  if (!(await keyCheck.seesArchive(user, intended))) {
    return refusal(
      'unproven',
      'an earlier run had begun to delete it, and the service does not find it; but the service lists no session of this archive, so the API key may be that of another project',
    );
  }
  await deletions.add({ user, session, commit, jobCount, outcome: 'confirmed-later', intent });
  return 'confirmed';
}
