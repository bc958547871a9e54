/** Writes a snapshot at the end of a run, where readers would have much to read since the last one. */
import { messageOf } from '../../base/error.js';
import { readAhead } from '../../base/concurrently.js';
import { ulid } from '../../base/ulid.js';
import type { RunId } from '../../model/ids.js';
import type { Archive } from '../archive.js';
import { CommitConflictError } from '../archive-errors.js';
import type { Commit, SnapshotEntry } from '../log/commit.js';
import type { LogIndex } from '../log/log-index.js';
import type { UserInLog } from '../log/log-view.js';
import { writeGzipLines } from '../log/gzip-lines.js';
import { snapshotPath } from '../paths.js';
import { isRefused } from '../runs/commit-or-withdraw.js';
import { applyCommit } from '../state/apply-commit.js';
import { StateStore } from '../state/state-store.js';
import { stateIn, stateTexts } from '../state/state-line.js';
import { emptyState, type UserState } from '../state/user-state.js';
import {
  isWorthKeeping,
  PackedStates,
  StatesWriter,
  type StatesPart,
  type StatesPlace,
} from './packed-states.js';
import { SessionsWriter } from './packed-sessions.js';
import { sessionsLine, type KnownUser } from './snapshot-users.js';
import { firstLine, lastLine, userLine, type KnownSnapshot } from './snapshot.js';
import { SessionMarks, sessionFacts, userInLog, usersIn } from './snapshot-of-users.js';
import { SnapshotReader, storedStates } from './snapshot-reader.js';
import { sweepSnapshots, sweepStates } from './sweep-snapshots.js';

/** How much readers may have to read beside the last snapshot. */
export interface SnapshotPace {
  /** Default 4: each is a request to a bucket. */
  readonly commits: number;
  /** Sessions, deletions, artifacts and listings of users in these commits; default 1000. */
  readonly entries: number;
}

export interface SnapshotOptions {
  /** Its index may begin with a snapshot: `verify` finds one that is not what the log gives. */
  readonly archive: Archive;
  readonly run: RunId;
  readonly pace?: SnapshotPace | undefined;
}

const DEFAULT_PACE: SnapshotPace = { commits: 4, entries: 1000 };
/**
 * The share of the users and artifacts of the archive after which a snapshot is due: the larger it is, the more seldom it
 * is written.
 */
const SHARE_AFTER = 1 / 4;
/** Users whose states are read at a time. */
const READ_AHEAD = 8;

/**
 * A failure is logged: readers then read more commits.
 *
 * @returns the number of the commit that names the snapshot; undefined if none was due or none could be made
 */
export async function writeSnapshotIfDue(options: SnapshotOptions): Promise<number | undefined> {
  const { archive, pace = DEFAULT_PACE } = options;
  try {
    await archive.index.refresh();
    return isDue(archive.index, pace) ? await writeSnapshot(options) : undefined;
  } catch (error) {
    archive.logger.warn({ reason: messageOf(error) }, 'no snapshot of the log could be made');
    return undefined;
  }
}

function isDue({ view, openErasures }: LogIndex, pace: SnapshotPace): boolean {
  if (openErasures.size > 0) return false;
  const [last] = view.snapshots;
  let [commits, entries] = [0, 0];
  for (const { number, kind, entries: more } of view.commits.values()) {
    if (number <= (last?.through ?? 0) || kind === 'snapshot') continue;
    commits++;
    entries += more;
  }
  const most = Math.max(pace.entries, view.users.size * SHARE_AFTER);
  return commits >= pace.commits || entries >= most;
}

/** @throws {IntegrityError | StorageError} */
async function writeSnapshot(options: SnapshotOptions): Promise<number | undefined> {
  const { archive, run } = options;
  const { storage, log, index, clock, random, tool } = archive;
  const { through, lastErasure } = index;
  const before =
    index.snapshot ?? (await new SnapshotReader(storage, log).newest(through, lastErasure));
  const salt = Buffer.from(random.bytes(16)).toString('hex');
  const id = ulid(clock, random);
  const path = snapshotPath(through, id);
  const writer = new StatesWriter(storage, { through, id });
  const withdraw = async (): Promise<void> => {
    await storage.delete(path);
    await writer.withdraw();
  };
  const there = new Map((await storedStates(storage)).map(({ path, bytes }) => [path, bytes]));
  const staged = await storage.stage();
  const states: StatesPart[] = [];
  let snapshot: SnapshotEntry;
  try {
    const sessions = new SessionsWriter(staged);
    const lines = new SnapshotLines(archive, { before, there, writer, sessions, salt });
    // after the sessions, whose places it says: packed it is small
    const rest: Uint8Array[] = [];
    const sink = { write: (chunk: Uint8Array) => Promise.resolve(void rest.push(chunk)) };
    await writeGzipLines(lines.all(states), sink);
    for (const chunk of rest) await staged.write(chunk);
    const { bytes, sha256 } = await staged.close();
    const sessionsBytes = sessions.parts.reduce((sum, part) => sum + part.bytes, 0);
    snapshot = { path, bytes, sha256, through, sessions_bytes: sessionsBytes };
    await staged.publish(path);
  } catch (error) {
    await withdraw().catch(() => undefined); // what stays is swept once it is old
    throw error;
  } finally {
    await staged.discard();
  }
  const checkpoint = [...index.commits].filter((commit) => commit.run === run).length + 1;
  const draft = { kind: 'snapshot', base: through, run, checkpoint, tool, scope: {} } as const;
  // another run has made one for as many commits, or more
  const isOutdatedBy = (commit: Commit) => (commit.snapshot?.through ?? 0) >= through;
  try {
    const { number } = await log.append({ ...draft, snapshot, isOutdatedBy });
    await sweepSnapshots(archive);
    await sweepStates(archive, new Map([[path, states]]));
    return number;
  } catch (error) {
    if (isRefused(error)) await withdraw();
    if (error instanceof CommitConflictError) return undefined;
    throw error;
  }
}

interface LinesOptions {
  /** Read of what has not changed since. */
  readonly before: KnownSnapshot | undefined;
  /** Sizes of the stored objects with states, by path. */
  readonly there: ReadonlyMap<string, number>;
  readonly writer: StatesWriter;
  readonly sessions: SessionsWriter;
  readonly salt: string;
}

/** What is written of a user. */
interface MadeUser {
  readonly user: UserInLog;
  /** Undefined of one without sessions, like the state. */
  readonly sessions?: string | undefined;
  /** The state's line in pieces. */
  readonly texts?: Iterable<string> | undefined;
  /** Where it is already. */
  readonly place?: StatesPlace | undefined;
}

/** The lines of a snapshot as of the index's newest commit; writes sessions and states of users on the way. */
class SnapshotLines {
  readonly #archive: Archive;
  readonly #options: LinesOptions;
  readonly #packed: PackedStates;
  /** Users follow the order of the log, so few commits are needed at a time. */
  readonly #states: StateStore;
  readonly #through: number;
  /** Parts of the snapshot before that are named again: from their place there to that in this one. */
  readonly #again = new Map<number, number>();

  constructor(archive: Archive, options: LinesOptions) {
    const { storage, log, index } = archive;
    this.#archive = archive;
    this.#options = options;
    this.#packed = new PackedStates(storage);
    this.#states = new StateStore(storage, log, index);
    this.#through = index.through;
  }

  /** @param states filled with the parts that the lines name */
  async *all(states: StatesPart[]): AsyncGenerator<string> {
    const { before, writer, sessions: sessionsWriter, salt } = this.#options;
    const { index } = this.#archive;
    const { view } = index;
    const listings = await index.listings();
    const users = Array.from(usersIn(view, listings), (user) => userInLog(user, view, listings));
    yield firstLine(index.view, salt);
    for (const at of this.#partsToKeep(users)) {
      const part = before?.states[at];
      if (part) this.#again.set(at, states.push(part) - 1);
    }
    const kept = states.length;
    const made = readAhead(users, READ_AHEAD, (user) => this.#made(user));
    for await (const { user, sessions, texts, place } of made) {
      yield userLine(user, {
        sessions: sessions === undefined ? undefined : await sessionsWriter.add(sessions),
        state: texts ? await this.#put(texts, kept) : place,
      });
    }
    await sessionsWriter.end();
    await writer.end();
    states.push(...writer.parts);
    yield lastLine({ states, sessions: sessionsWriter.parts });
  }

  /** @param kept how many parts of the snapshot before come first */
  async #put(texts: Iterable<string>, kept: number): Promise<StatesPlace> {
    const [part, line] = await this.#options.writer.add(texts);
    return [kept + part, line];
  }

  /** Places of those that are still needed so much that they need not be written again. */
  #partsToKeep(users: readonly UserInLog[]): number[] {
    const { before, there } = this.#options;
    const needed = new Map<number, number>();
    for (const user of users) {
      const known = before?.users.get(user.user);
      if (!known?.places.state || !isUnchanged(known, user)) continue;
      const [at] = known.places.state;
      needed.set(at, (needed.get(at) ?? 0) + 1);
    }
    return [...needed].flatMap(([at, count]) => {
      const part = before?.states[at];
      // the states of a part that is lost or torn are written again
      const isThere = part && there.get(part.path) === part.bytes;
      return isThere && isWorthKeeping(part, count) ? [at] : [];
    });
  }

  async #made(user: UserInLog): Promise<MadeUser> {
    const known = this.#options.before?.users.get(user.user);
    if (!known || !isUnchanged(known, user)) {
      const { state, marks } = await this.#replayed(user, known);
      if (state.sessions.size === 0) return { user };
      const sessions = sessionsLine(sessionFacts(state, marks));
      return { user, sessions, texts: stateTexts(state) };
    }
    const { sessionsLine: sessions, places } = known;
    if (!places.state) return { user, sessions };
    const [at, line] = places.state;
    const again = this.#again.get(at);
    if (again !== undefined) return { user, sessions, place: [again, line] };
    const text = await this.#textAt(places.state);
    const texts = text === undefined ? undefined : [text];
    const replayed = async () => stateTexts((await this.#replayed(user, undefined)).state);
    return { user, sessions, texts: texts ?? (await replayed()) };
  }

  /** Replays what the log says of a user since the snapshot before. */
  async #replayed(
    { user }: UserInLog,
    known: KnownUser | undefined,
  ): Promise<{ readonly state: UserState; readonly marks: SessionMarks }> {
    const { before } = this.#options;
    const text = await this.#textAt(known?.places.state);
    const isKnown = before && text !== undefined;
    let state = isKnown ? stateIn(text, before.head) : emptyState(user);
    const marks = new SessionMarks(isKnown ? before : undefined);
    for await (const changes of this.#states.changes(state, this.#through)) {
      marks.add(changes);
      state = applyCommit(state, changes, changes.jobs);
    }
    return { state, marks };
  }

  /** Undefined where it is not as it was written. */
  async #textAt([at, line]: StatesPlace | readonly [] = []): Promise<string | undefined> {
    const part = at === undefined ? undefined : this.#options.before?.states[at];
    return part && line !== undefined ? this.#packed.lineOf(part, line) : undefined;
  }
}

function isUnchanged(known: KnownUser, user: UserInLog): boolean {
  return known.commits.length === user.commits.length;
}
