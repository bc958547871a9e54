/** Finds out what became of a deletion that an earlier run had begun and did not live to record. */
import type { Archive } from '../archive/archive.js';
import { leaseStanding } from '../archive/runs/lease.js';
import { runLeasePath } from '../archive/paths.js';
import { asRunId } from '../model/ids.js';
import type { Processes } from '../base/process-identity.js';
import type { DeletionLog } from './deletion-log.js';
import type { Intent, Intents } from './intents.js';
import type { ProjectKeyCheck } from './project-key-check.js';
import { refusal, type PruneRefusal } from './refusal.js';
import type { ServiceView } from './service-view.js';

export interface SettlingTools {
  readonly archive: Archive;
  readonly intents: Intents;
  readonly view: ServiceView;
  readonly keyCheck: ProjectKeyCheck;
  readonly deletions: DeletionLog;
  /** Sessions, by `sessionKey`, that other intents mean: they need not be listed any more. */
  readonly intended: ReadonlySet<string>;
  /** Tells whether the run that wrote an intent is still at work. */
  readonly processes: Processes;
}

/** `known`: recorded already. `dropped`: still there, to be planned again like any other; its intent may stay. */
export type SettledIntent = 'confirmed' | 'dropped' | 'known' | PruneRefusal;

/**
 * Intents only go forward: a deletion that happened is recorded, one that did not is forgotten.
 *
 * @throws {ServiceError} the service says neither this nor that
 */
export async function settleIntent(tools: SettlingTools, intent: Intent): Promise<SettledIntent> {
  const { archive, intents, view, keyCheck, deletions, intended } = tools;
  const { user, session, commit, job_count: jobCount } = intent;
  const { sessions } = await archive.states.load(user);
  if (sessions.get(session)?.deleted) {
    await intents.remove(intent); // its commit stands; only the tidying up was missing
    return 'known';
  }
  if (!(await view.isGone(intent))) {
    const path = runLeasePath(asRunId(intent.run));
    const { storage } = archive;
    const standing = await leaseStanding({ storage, path, processes: tools.processes });
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
