/** Loads the states of users: from the cache if it matches the log, otherwise replayed from the log (I-29, I-30 in FORMAT.md). */
import type { UserId } from '../../model/ids.js';
import { ObjectNotFoundError } from '../../storage/storage-errors.js';
import type { Storage } from '../../storage/storage.js';
import type { CommitLog } from '../log/commit-log.js';
import { MAY_BE_CUT } from '../verify/findings.js';
import { IntegrityError } from '../archive-errors.js';
import type { LogIndex } from '../log/log-index.js';
import { commitPath, statePath } from '../paths.js';
import { applyCommit } from '../log/replay.js';
import { decodeState, encodeState } from './state-codec.js';
import { CommitsByUser } from './user-changes.js';
import { emptyState, type UserState } from './user-state.js';

export class StateStore {
  readonly #commits: CommitsByUser;
  readonly #storage: Storage;
  readonly #index: LogIndex;
  /** Users whose state no cache had: without a save, each run would replay it until the user changes. */
  readonly #uncached = new Set<UserId>();

  constructor(storage: Storage, log: CommitLog, index: LogIndex) {
    this.#storage = storage;
    this.#index = index;

    this.#commits = new CommitsByUser(storage, log);
  }

  /**
   * The state of a user as of the newest commit; empty for an unknown user. A cache that is missing, damaged,
   * made from another log, or not made since the last erasure is ignored.
   *
   * @throws {IntegrityError} the log is damaged, or it has lost a commit that the cache has seen
   */
  async load(user: UserId): Promise<UserState> {
    await this.#index.refresh();
    return this.#load(user);
  }

  /**
   * Likewise as of a commit that the index knows, without looking for newer ones: for those who go through many users,
   * whose answer is then as of one commit.
   *
   * @throws {IntegrityError} as `load`
   */
  loadAsOf(user: UserId, through: number): Promise<UserState> {
    return this.#load(user, through);
  }

  /** Whether the user's state was replayed from the beginning of the log, and is not saved since. */
  isUncached(user: UserId): boolean {
    return this.#uncached.has(user);
  }

  /**
   * The same state as of the newest commit, for use after an append. Starts over if there was an erasure since:
   * the state may contain what was erased.
   *
   * @throws {IntegrityError}
   */
  async update(state: UserState): Promise<UserState> {
    await this.#index.refresh();
    const isOutdated = this.#index.lastErasure > state.through;
    return this.replay(isOutdated ? emptyState(state.user) : state, this.#index.through);
  }

  /** Replays the commits after `state.through` up to `through`, which the index must know. @throws {IntegrityError} */
  async replay(state: UserState, through: number): Promise<UserState> {
    let replayed = state;
    for (const number of this.#index.commitsTouching(state.user)) {
      if (number <= state.through || number > through) continue;
      const changes = await this.#commits.changes(number, state.user);
      if (changes) replayed = applyCommit(replayed, changes, changes.jobs);
    }
    if (through <= replayed.through) return replayed;
    return { ...replayed, through, throughDigest: this.#index.digestOf(through) };
  }

  /**
   * Writes the cache, which is only needed for speed. A state from before an erasure may contain what was erased:
   * it is removed again, because the erasure may have deleted the user's state a moment before.
   */
  async save(state: UserState): Promise<void> {
    const path = statePath(state.user);
    this.#uncached.delete(state.user);
    if (!this.#mayKnowErased(state)) {
      await this.#storage.put(path, await encodeState(state));
      await this.#index.refresh();
    }
    if (this.#mayKnowErased(state)) await this.#storage.delete(path);
  }

  /** Lets go of the entries of a commit: the states of all users whom it changes are up to date. */
  forgetCommit(number: number): void {
    this.#commits.forget(number);
  }

  /** Made before an erasure, or while one was open: it may contain what was erased, or only a part of that. */
  #mayKnowErased({ through }: UserState): boolean {
    const { lastErasure, openErasures } = this.#index;
    return lastErasure > through || openErasures.size > 0;
  }

  async #load(user: UserId, asOf?: number): Promise<UserState> {
    const cached = await this.#cached(user);
    const through = asOf ?? this.#index.through;
    const usable = cached && cached.through <= through ? cached : undefined;
    const state = await this.replay(usable ?? emptyState(user), through);
    if (!cached && state.sessions.size > 0) this.#uncached.add(user);
    return state;
  }

  async #cached(user: UserId): Promise<UserState | undefined> {
    const path = statePath(user);
    let state;
    try {
      state = await decodeState(path, await this.#storage.get(path));
    } catch (error) {
      if (error instanceof ObjectNotFoundError || error instanceof IntegrityError) return undefined;
      throw error;
    }
    if (state.user !== user) return undefined;
    // Another run may have appended and saved since the log was read.
    if (state.through > this.#index.through) await this.#index.refresh();
    if (state.through > this.#index.through) {
      throw new IntegrityError(
        commitPath(state.through),
        'missing',
        `is missing from the log: ${path} was made after it; ${MAY_BE_CUT}`,
      );
    }
    // a run that was killed may have left it where it should have removed it
    if (this.#mayKnowErased(state)) return undefined;
    return this.#index.digestOf(state.through) === state.throughDigest ? state : undefined;
  }
}
