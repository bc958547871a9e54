/** Verifies the states: each that can be read must be exactly what replaying the log gives. */
import { getIfThere, type Storage } from '../../storage/storage.js';
import type { CommitLog } from '../log/commit-log.js';
import { IntegrityError } from '../archive-errors.js';
import { commitPath, isStatePath, statePath, STATES_PREFIX } from '../paths.js';
import { decodeState, stateText } from '../state/state-codec.js';
import { StateStore } from '../state/state-store.js';
import { emptyState, type UserState } from '../state/user-state.js';
import type { LogFindings } from './verify-log.js';
import { MAY_BE_CUT, type Findings } from './findings.js';

export interface StatesOptions {
  readonly storage: Storage;
  readonly log: CommitLog;
  /** Which states to verify. Default: all. */
  readonly isWanted?: ((path: string) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the number of states. If the log is damaged, it cannot be replayed, and only the digests are compared. */
export async function verifyStates(
  { storage, log, isWanted = () => true, signal }: StatesOptions,
  found: LogFindings,
  findings: Findings,
): Promise<number> {
  const store = new StateStore(storage, log, found.index);
  const paths = new Set<string>();
  for await (const { path } of storage.list(STATES_PREFIX)) {
    if (isStatePath(path)) paths.add(path);
  }
  const count = paths.size;

  const verify = async (path: string): Promise<void> => {
    signal?.throwIfAborted();
    try {
      const state = await readState(storage, path);
      if (state && !(await wasSavedSince(storage, state, found))) {
        await check(state, path, found, store);
      }
    } catch (error) {
      if (!(error instanceof IntegrityError)) throw error;
      // nothing rests on it: no program uses it, and the next export writes it again
      if (error.problem === 'unreadable' && error.path === path) findings.note(path, UNREADABLE);
      else findings.add(error);
    }
  };
  // In the order in which the users came into the log: neighbours share commits, which are kept in memory.
  for (const user of found.index.users) {
    const path = statePath(user);
    if (paths.delete(path) && isWanted(path)) await verify(path);
  }
  for (const path of paths) if (isWanted(path)) await verify(path);
  return count;
}

const UNREADABLE =
  'is a cache that cannot be read; the next export of its user, or --repair, writes it again';

async function readState(storage: Storage, path: string): Promise<UserState | undefined> {
  const bytes = await getIfThere(storage, path);
  return bytes && decodeState(path, bytes);
}

/** Whether a run has saved it after the log was read: then it cannot be verified. */
export async function wasSavedSince(
  storage: Storage,
  { through }: UserState,
  { newest }: Pick<LogFindings, 'newest'>,
): Promise<boolean> {
  return through > newest && (await storage.stat(commitPath(through))) !== undefined;
}

/** @throws {IntegrityError} */
async function check(
  state: UserState,
  path: string,
  { newest, isSound, index }: LogFindings,
  store: StateStore,
): Promise<void> {
  const { user, through, throughDigest } = state;
  if (path !== statePath(user)) throw wrong(path, 'is the state of another user');
  if (through > newest) {
    const detail = `is missing from the log: ${path} was made after it; ${MAY_BE_CUT}`;
    throw new IntegrityError(commitPath(through), 'missing', detail);
  }
  const digest = index.digestOf(through);
  if (digest !== throughDigest && (isSound || digest !== null)) {
    throw wrong(path, `was made from another commit ${through} than the one in the log`);
  }
  if (!isSound) return;
  const expected = await store.replay(emptyState(user), through);
  if (stateText(state) !== stateText(expected))
    throw wrong(path, 'differs from what the log gives');
}

function wrong(path: string, detail: string): IntegrityError {
  return new IntegrityError(path, 'state', detail);
}
