/**
 * The users of runs that were put on a queue and have not ended, in files below `_runs/`. A queue may lose its
 * entries; together with the log these files say which users are still to be exported.
 */
import { Readable } from 'node:stream';
import { z } from 'zod';
import { parseJson } from '../../base/text/parse-json.js';
import { ObjectNotFoundError } from '../../storage/storage-errors.js';
import { type Storage } from '../../storage/storage.js';
import { deleteObjects } from '../../storage/small-objects.js';
import type { Archive } from '../archive.js';
import type { Commit, UserEntry } from '../log/commit.js';
import { listedIn, manifestLines } from '../log/manifest.js';
import { readGzipLines, writeGzipLines } from '../log/gzip-lines.js';
import { isQueuedUsersPath, queuedUsersPath, QUEUED_RUNS_PREFIX } from '../paths.js';
import { IntegrityError } from '../archive-errors.js';

const headSchema = z.strictObject({
  format: z.literal(1),
  /** The run's name. */
  run: z.string().min(1),
  queue: z.string().min(1),
  /** Whether the service must have listed a session of each of the users: else that is a gap. */
  expected: z.boolean(),
  enqueued_at: z.iso.datetime(),
  /** Number of the newest commit when the users were put on the queue; 0 if there was none. */
  since: z.int().nonnegative(),
  /** Whether the list of users could not be right when they were put on the queue. */
  doubtful_list: z.boolean(),
});
type Head = z.infer<typeof headSchema>;
const userLine = z.string().min(1);

/** One file: users that were put on the queue together. */
export interface QueuedUsers extends Omit<Head, 'format'> {
  readonly users: readonly string[];
}

export interface QueuedFile extends QueuedUsers {
  readonly path: string;
}

/** A run that the log does not know to have ended. */
export interface OpenRun {
  readonly run: string;
  readonly queue: string;
  readonly enqueuedAt: string;
  /** Number of the newest commit before the run; 0 if there was none. */
  readonly since: number;
  readonly users: ReadonlySet<string>;
  /** Users of whom the service must have listed a session. */
  readonly expected: ReadonlySet<string>;
  /** Its users without those whom a worker of this run has finished since, as its newest entry has it: see `isDone`. */
  readonly remaining: readonly string[];
  /** The remaining users whom a worker had proven complete before: a doubt was found at the end of its export. */
  readonly doubted: readonly string[];
  /** How many of those who are done lack only what somebody has decided on. */
  readonly decided: number;
  /** Whether one of its lists of users could not be right. */
  readonly isListDoubtful: boolean;
  readonly paths: readonly string[];
}

/** @param id a ULID. @returns the path */
export async function leaveUsers(
  storage: Storage,
  id: string,
  queued: Omit<QueuedUsers, 'users'> & { readonly users: Iterable<string> },
): Promise<string> {
  const { run, queue, expected, enqueued_at, since, doubtful_list, users } = queued;
  const head: Head = { format: 1, run, queue, expected, enqueued_at, since, doubtful_list };
  function* lines() {
    yield JSON.stringify(head);
    for (const user of users) yield JSON.stringify(user);
  }
  const blocks: Uint8Array[] = [];
  await writeGzipLines(lines(), {
    write: (block) => {
      blocks.push(block);
      return Promise.resolve();
    },
  });
  const path = queuedUsersPath(id);
  await storage.put(path, Buffer.concat(blocks));
  return path;
}

/** Whether there may be runs that have not ended. */
export async function hasOpenRuns(storage: Storage): Promise<boolean> {
  for await (const { path } of storage.list(QUEUED_RUNS_PREFIX)) {
    if (isQueuedUsersPath(path)) return true;
  }
  return false;
}

/**
 * @param onDamaged called with a file that cannot be read, and its error. Default: the error is thrown
 * @throws {IntegrityError} a file is damaged
 */
export async function* queuedFiles(
  storage: Storage,
  onDamaged: (path: string, error: IntegrityError) => void = (_path, error) => {
    throw error;
  },
): AsyncGenerator<QueuedFile> {
  for await (const { path } of storage.list(QUEUED_RUNS_PREFIX)) {
    if (!isQueuedUsersPath(path)) continue;
    try {
      yield await readQueued(storage, path);
    } catch (error) {
      if (error instanceof IntegrityError) onDamaged(path, error);
      else if (!(error instanceof ObjectNotFoundError)) throw error; // the run has just ended
    }
  }
}

async function readQueued(storage: Storage, path: string): Promise<QueuedFile> {
  const bytes = await storage.get(path);
  try {
    let head: Head | undefined;
    const users: string[] = [];
    for await (const line of readGzipLines(Readable.from([bytes]))) {
      if (head) users.push(userLine.parse(parseJson(line)));
      else head = headSchema.parse(parseJson(line));
    }
    if (!head) throw new Error('it is empty');
    const { run, queue, expected, enqueued_at, since, doubtful_list } = head;
    return { path, run, queue, expected, enqueued_at, since, doubtful_list, users };
  } catch (cause) {
    throw new IntegrityError(path, 'unreadable', 'is damaged: its users cannot be read', { cause });
  }
}

/**
 * The runs that have not ended, by name. Reads the commits since the oldest of them, and whom they list.
 *
 * @throws {IntegrityError} a file or a commit is damaged
 */
export async function openRuns({ storage, log }: Archive): Promise<OpenRun[]> {
  const files: QueuedFile[] = [];
  for await (const file of queuedFiles(storage)) files.push(file);
  if (files.length === 0) return [];
  const progress = new Map<string, RunProgress>();
  const since = Math.min(...files.map((file) => file.since));
  const head = (await log.head())?.number ?? 0;
  for await (const commit of log.commits(since + 1, head)) {
    const run = runOf(commit);
    if (run === undefined) continue;
    const known = progress.get(run) ?? new RunProgress();
    progress.set(run, known);
    known.add(commit, commit.users ? await listedIn({ storage, log }, commit) : []);
  }
  const open = new Map<string, QueuedFile[]>();
  for (const file of files) {
    if (progress.get(file.run)?.hasEndedSince(file.since) === true) continue;
    open.set(file.run, [...(open.get(file.run) ?? []), file]);
  }
  return [...open].map(([run, runFiles]) => openRunOf(run, runFiles, progress.get(run)));
}

/** What the log alone says about a run whose files below `_runs/` are not there. */
export interface RunInLog {
  /** A commit records its end. */
  readonly hasEnded: boolean;
  /** Users who are done, as their newest entry has it: see `isDone`. */
  readonly done: readonly string[];
  /** Users of whom it takes that back. */
  readonly doubted: readonly string[];
  /** How many of those who are done lack only what somebody has decided on. */
  readonly decided: number;
}

/** @param run with the newest commit before it @throws {IntegrityError} a commit is damaged */
export async function runInLog(
  { storage, log }: Archive,
  { run, since }: { readonly run: string; readonly since: number },
): Promise<RunInLog> {
  const progress = new RunProgress();
  const head = (await log.head())?.number ?? 0;
  for await (const commit of log.commits(since + 1, head)) {
    if (runOf(commit) !== run) continue;
    progress.add(commit, commit.users ? await listedIn({ storage, log }, commit) : []);
  }
  const { done, doubted, decided } = progress;
  return { hasEnded: progress.hasEndedSince(since), done, doubted, decided: decided.length };
}

/** Whether a run has nothing to do any more of the user: nothing is missing without a decision, and no budget has left a session. */
export function isDone(entry: UserEntry): boolean {
  return isSound(entry) && entry.left === undefined;
}

function isSound({ complete, by_decision: isDecided }: UserEntry): boolean {
  return complete || isDecided === true;
}

/**
 * What the commits of a queued run say about users: the newest entry of each.
 *
 * @param users default: all
 * @throws {IntegrityError} a commit is damaged
 */
export async function entriesOfRun(
  archive: Archive,
  { run, since }: { readonly run: string; readonly since: number },
  users?: ReadonlySet<string>,
): Promise<Map<string, UserEntry>> {
  const entries = new Map<string, UserEntry>();
  const head = (await archive.log.head())?.number ?? 0;
  for await (const commit of archive.log.commits(since + 1, head)) {
    if (runOf(commit) !== run) continue;
    for await (const entry of manifestLines(archive, 'users', commit)) {
      if (users?.has(entry.user) !== false) entries.set(entry.user, entry);
    }
  }
  return entries;
}

/** Removes the files of a run. @param ended number of the commit that records its end */
export async function forgetQueued(storage: Storage, run: string, ended: number): Promise<void> {
  const paths: string[] = [];
  for await (const file of queuedFiles(storage)) {
    if (file.run === run && file.since < ended) paths.push(file.path);
  }
  await deleteObjects(storage, paths);
}

function openRunOf(run: string, files: QueuedFile[], progress?: RunProgress): OpenRun {
  const [first] = files.sort((a, b) => (a.enqueued_at < b.enqueued_at ? -1 : 1)) as [QueuedFile];
  const remaining = new Set<string>();
  const doubted = new Set<string>();
  for (const { users, since } of files) {
    for (const user of users) {
      if (progress?.hasDone(user, since) !== true) remaining.add(user);
      if (progress?.isDoubted(user, since) === true) doubted.add(user);
    }
  }
  const decided = progress?.decided.filter((user) => !remaining.has(user)) ?? [];
  return {
    run,
    queue: first.queue,
    enqueuedAt: first.enqueued_at,
    since: Math.min(...files.map((file) => file.since)),
    users: new Set(files.flatMap(({ users }) => users)),
    expected: new Set(files.flatMap(({ expected, users }) => (expected ? users : []))),
    remaining: [...remaining],
    doubted: [...doubted],
    decided: decided.length,
    isListDoubtful: files.some(({ doubtful_list: isDoubtful }) => isDoubtful),
    paths: files.map(({ path }) => path),
  };
}

/** What the log says about the runs of one name. */
class RunProgress {
  /** Number of the newest commit that says of a user that nothing is to be done any more. */
  readonly #done = new Map<string, number>();
  /** Users whose newest entry has nothing missing without a decision, also where the budget left some of their sessions. */
  readonly #sound = new Set<string>();
  /** Users whose newest entry takes that back. */
  readonly #doubted = new Map<string, number>();
  /** Users of whom only what somebody has decided on is missing. */
  readonly #decided = new Set<string>();
  /** Number of the newest commit that ends a run. */
  #ended = 0;

  add({ number, scope }: Commit, listed: readonly UserEntry[]): void {
    if (typeof scope['status'] === 'string') this.#ended = number;
    for (const entry of listed) {
      const { user, by_decision: isDecided } = entry;
      if (isDone(entry)) this.#done.set(user, number);
      else this.#done.delete(user);
      if (isDecided === true) this.#decided.add(user);
      else this.#decided.delete(user);
      if (isSound(entry)) {
        this.#sound.add(user);
        this.#doubted.delete(user);
      } else if (this.#sound.delete(user)) this.#doubted.set(user, number);
    }
  }

  get decided(): string[] {
    return [...this.#decided].filter((user) => this.#done.has(user));
  }

  /** Users who are done, as their newest entry has it. */
  get done(): string[] {
    return [...this.#done.keys()];
  }

  get doubted(): string[] {
    return [...this.#doubted.keys()];
  }

  isDoubted(user: string, since: number): boolean {
    return (this.#doubted.get(user) ?? 0) > since;
  }

  hasEndedSince(since: number): boolean {
    return this.#ended > since;
  }

  hasDone(user: string, since: number): boolean {
    return (this.#done.get(user) ?? 0) > since;
  }
}

/** The name of the queued run that a worker's commit belongs to. */
function runOf({ kind, scope }: Commit): string | undefined {
  const { queue } = scope;
  return kind === 'export' && typeof queue === 'string' ? queue : undefined;
}
