/** Finds out what became of a deletion that an earlier run had begun and did not live to record. */
import type { Archive } from '../archive/archive.js';
import type { DeletionLog } from './deletion-log.js';
import type { Intent, Intents } from './intents.js';
import type { KeyWitness } from './key-witness.js';
import { refusal, type Refusal } from './refusal.js';
import type { ServiceLook } from './service-look.js';

export interface SettlingTools {
  readonly archive: Archive;
  readonly intents: Intents;
  readonly look: ServiceLook;
  readonly witness: KeyWitness;
  readonly deletions: DeletionLog;
  /** Sessions, by `sessionKey`, that other intents mean: they need not be listed any more. */
  readonly intended: ReadonlySet<string>;
}

/** `known`: recorded already. `dropped`: still there, to be planned again like any other. */
export type SettledIntent = 'confirmed' | 'dropped' | 'known' | Refusal;

/**
 * Intents only go forward: a deletion that happened is recorded, one that did not is forgotten.
 *
 * @throws {ServiceError} the service says neither this nor that
 */
export async function settleIntent(tools: SettlingTools, intent: Intent): Promise<SettledIntent> {
  const { archive, intents, look, witness, deletions, intended } = tools;
  const { user, session, commit, job_count: jobCount } = intent;
  const { sessions } = await archive.states.load(user);
  if (sessions.get(session)?.deleted) {
    await intents.remove(intent); // its commit stands; only the tidying up was missing
    return 'known';
  }
  if (!(await look.isGone(intent))) {
    await intents.remove(intent);
    return 'dropped';
  }
  if (!(await witness.seesArchive(user, intended))) {
    return refusal(
      'unproven',
      'an earlier run had begun to delete it, and the service does not find it; but the service lists no session of this archive, so the API key may be that of another project',
    );
  }
  await deletions.add({ user, session, commit, jobCount, outcome: 'confirmed-later', intent });
  return 'confirmed';
}
