/** Loads the states of users, from a snapshot and the commits after it or from all commits, and encodes them. */
import type { UserId } from '../../model/ids.js';
import type { Storage } from '../../storage/storage.js';
import type { CommitLog } from '../log/commit-log.js';
import type { LogIndex } from '../log/log-index.js';
import { emptyState, type UserState } from './user-state.js';
import { applyCommit } from './apply-commit.js';
import { PackedStates } from '../snapshots/packed-states.js';
import { stateIn } from './state-line.js';
import { CommitsByUser, type UserChanges } from './commits-by-user.js';

export class StateStore {
  readonly #commits: CommitsByUser;
  readonly #packed: PackedStates;
  readonly #index: LogIndex;

  constructor(storage: Storage, log: CommitLog, index: LogIndex) {
    this.#index = index;
    this.#packed = new PackedStates(storage);
    this.#commits = new CommitsByUser(storage, log);
  }

  /** The state of a user as of the newest commit; empty for an unknown user. @throws {IntegrityError} the log is damaged */
  async load(user: UserId): Promise<UserState> {
    await this.#index.refresh();
    return this.loadAsOf(user, this.#index.through);
  }

  /**
   * The state as of a commit that the index knows, without looking for newer ones: for callers that go through many
   * users, whose answer is then as of one commit.
   *
   * @throws {IntegrityError} as `load`
   */
  async loadAsOf(user: UserId, through: number): Promise<UserState> {
    return this.replay((await this.#inSnapshot(user, through)) ?? emptyState(user), through);
  }

  /**
   * The same state as of the newest commit, for use after an append. Starts over if there was an erasure since:
   * the state may contain what was erased.
   *
   * @throws {IntegrityError}
   */
  async update(state: UserState): Promise<UserState> {
    await this.#index.refresh();
    const { through, lastErasure } = this.#index;
    return lastErasure > state.through
      ? this.loadAsOf(state.user, through)
      : this.replay(state, through);
  }

  /** Replays the commits after `state.through` up to `through`, which the index must know. @throws {IntegrityError} */
  async replay(state: UserState, through: number): Promise<UserState> {
    let replayed = state;
    for await (const changes of this.changes(state, through)) {
      replayed = applyCommit(replayed, changes, changes.jobs);
    }
    if (through <= replayed.through) return replayed;
    return { ...replayed, through, throughDigest: this.#index.digestOf(through) };
  }

  /** What the commits after `state.through` up to `through` say of the user, in order. @throws {IntegrityError} */
  async *changes(
    { user, through: before }: Pick<UserState, 'user' | 'through'>,
    through: number,
  ): AsyncGenerator<UserChanges> {
    for (const number of this.#index.commitsTouching(user)) {
      if (number <= before || number > through) continue;
      const changes = await this.#commits.changes(number, user);
      if (changes) yield changes;
    }
  }

  /** Undefined where the snapshot does not have it, or what lies beside the snapshot is not as it was written. */
  async #inSnapshot(user: UserId, through: number): Promise<UserState | undefined> {
    const { snapshot } = this.#index;
    const [at, line] = snapshot?.users.get(user)?.places.state ?? [];
    const part = at === undefined ? undefined : snapshot?.states[at];
    if (!snapshot || !part || line === undefined || snapshot.head.number > through)
      return undefined;
    const text = await this.#packed.lineOf(part, line);
    if (text === undefined) return undefined;
    try {
      const state = stateIn(text, snapshot.head);
      return state.user === user ? state : undefined;
    } catch {
      return undefined;
    }
  }
}
