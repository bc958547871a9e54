/**
 * An advisory lease: keeps two runs from doing the same work. It may be stolen, or held twice for a moment; only the log
 * decides what is archived.
 */
import { messageOf } from '../../base/error.js';
import { timeOfUlid } from '../../base/ulid.js';
import { LeaseHeldError } from '../archive-errors.js';
import { StorageError } from '../../storage/storage-errors.js';
import type { RunId } from '../../model/ids.js';
import { type Storage } from '../../storage/storage.js';
import { getIfThere } from '../../storage/small-objects.js';
import type { Processes, ProcessIdentity } from '../../base/process-identity.js';
import type { ArchiveContext } from '../archive.js';
import { LEASES_PREFIX, runLeasePath, runOfLease } from '../paths.js';
import { z } from 'zod';
import { parseJson } from '../../base/text/parse-json.js';

/** The content of a lease: its holder, and a beat that shows that the holder lives. */
export interface LeaseNote extends ProcessIdentity {
  readonly run: RunId;
  /** Grows with every renewal. */
  readonly beat: number;
}

const noteSchema = z.object({
  run: z.string() as unknown as z.ZodType<RunId>,
  host: z.string(),
  boot: z.string(),
  pid: z.int(),
  started: z.string(),
  beat: z.int(),
});

export function encodeLeaseNote(note: LeaseNote): Uint8Array {
  return Buffer.from(`${JSON.stringify(note)}\n`);
}

/** Undefined if the bytes are not a lease: then it is taken over after one term. */
export function decodeLeaseNote(bytes: Uint8Array): LeaseNote | undefined {
  try {
    return noteSchema.parse(parseJson(Buffer.from(bytes).toString()));
  } catch {
    return undefined;
  }
}

/** Renewals in a term: two may fail. */
const RENEWALS = 3;
/** Checks of another run's lease in a term. */
const CHECKS = 15;

export interface LeaseOptions extends Pick<
  ArchiveContext,
  'processes' | 'clock' | 'logger' | 'terms'
> {
  readonly storage: Storage;
  readonly path: string;
  readonly run: RunId;
}

export interface AcquireOptions extends LeaseOptions {
  /** For errors: `user ada`. */
  readonly subject: string;
  /**
   * What to do if another run holds it that is not known to be dead. `none`: give up at once. `term`: give up
   * when it is known to live; a run of another machine is watched for one term. `endless`: wait.
   */
  readonly wait: 'none' | 'term' | 'endless';
  /** Called once for each holder that is waited for; undefined if the lease is unreadable. */
  readonly onWait?: (holder: LeaseNote | undefined) => void;
  /** Ends the waiting, not the lease. */
  readonly signal?: AbortSignal | undefined;
}

export interface Lease {
  /** Whether another run has taken it. That is no error: the log decides. */
  readonly isLost: boolean;
  /** Stops renewing, and removes the lease if it is still ours. Safe to repeat; never fails. */
  release(): Promise<void>;
}

/**
 * @throws {LeaseHeldError} another run holds it, and the wait is over
 * @throws {StorageError} the lease can neither be read nor written, or is there and is not for a whole term
 * @throws the signal's reason
 */
export async function acquireLease(options: AcquireOptions): Promise<Lease> {
  const { storage, path, clock, signal, subject, wait } = options;
  const { run, processes } = options;
  const termMs = options.terms.leaseMs;
  const note: LeaseNote = { run, ...processes.self, beat: 0 };
  const intervalMs = termMs / CHECKS;
  let watched: Watched | undefined;
  const contradiction = new Contradiction(options);
  for (;;) {
    signal?.throwIfAborted();
    if (await storage.putIfAbsent(path, encodeLeaseNote(note))) return new HeldLease(options, note);
    const seen = await getIfThere(storage, path);
    if (!seen) {
      await contradiction.wait(intervalMs, termMs);
      continue;
    }
    contradiction.end();
    const now = clock.monotonic();
    const before = watched;
    watched = watchedOn(watched, seen, now, intervalMs);
    const holder = decodeLeaseNote(seen);
    const standing = standingOf(holder, processes);
    if (standing === 'dead' || watched.unchangedMs >= termMs) {
      await takeAway(storage, path, seen);
      watched = undefined;
      continue;
    }
    const hasBeaten = before !== undefined && watched.unchangedMs === 0;
    if (wait === 'none' || (wait === 'term' && (standing === 'alive' || hasBeaten))) {
      throw new LeaseHeldError(subject, holder);
    }
    if (!before || before.process !== processOf(holder)) options.onWait?.(holder);
    await clock.sleep(intervalMs, signal);
  }
}

/** A lease that the storage has and does not give. Once that is a release in between; again and again it is the storage. */
class Contradiction {
  #firstMs: number | undefined;
  #isTold = false;
  readonly #options: AcquireOptions;

  constructor(options: AcquireOptions) {
    this.#options = options;
  }

  end(): void {
    this.#firstMs = undefined;
  }

  /** Waits, but not the first time. @throws {StorageError} it is so for a term, or nobody waits */
  async wait(intervalMs: number, termMs: number): Promise<void> {
    const { storage, path, clock, signal, logger, wait } = this.#options;
    const now = clock.monotonic();
    if (this.#firstMs === undefined) {
      this.#firstMs = now;
      return;
    }
    const text = `cannot write ${path} in ${storage.location}: the storage says that it is there, and that it is not`;
    if (wait === 'none' || now - this.#firstMs >= termMs) {
      throw new StorageError(text, { trouble: 'lists' });
    }
    if (!this.#isTold) logger.warn({ lease: path }, `${text}; trying again`);
    this.#isTold = true;
    await clock.sleep(intervalMs, signal);
  }
}

/** What is known about a lease without waiting; `unknown` if its holder is on another machine. */
type LeaseStanding = 'free' | 'dead' | 'alive' | 'unknown';

export async function leaseStanding({
  storage,
  path,
  processes,
}: Pick<LeaseOptions, 'storage' | 'path' | 'processes'>): Promise<LeaseStanding> {
  const seen = await getIfThere(storage, path);
  return seen ? standingOf(decodeLeaseNote(seen), processes) : 'free';
}

/** A run that has a lease. */
interface LeasedRun {
  readonly run: RunId;
  /** Undefined where its lease cannot be read: that is no sign that nobody is at work. */
  readonly host: string | undefined;
  /** When it began, by the clock of its machine, in milliseconds since 1970 UTC; undefined of an id that does not tell. */
  readonly beganAtMs: number | undefined;
  /** When it last renewed its lease, by the storage's clock, in milliseconds since 1970 UTC. */
  readonly renewedAtMs: number;
  /** Whether it has died; of a run of another machine nobody can say that. */
  readonly isDead: boolean;
}

type RunsPlace = Pick<LeaseOptions, 'storage' | 'processes'>;

/** The runs that are at work now, as far as their leases tell. */
export async function runsAtWork(place: RunsPlace): Promise<LeasedRun[]> {
  return (await leasedRuns(place)).filter(({ isDead }) => !isDead);
}

/** The runs that have a lease: those that are at work, and those that died, until the next run cleans up. */
export async function leasedRuns({ storage, processes }: RunsPlace): Promise<LeasedRun[]> {
  const found: LeasedRun[] = [];
  for await (const { path, modifiedAtMs: renewedAtMs } of storage.list(LEASES_PREFIX)) {
    const run = runOfLease(path);
    const seen = run === undefined ? undefined : await getIfThere(storage, path);
    if (run === undefined || !seen) continue;
    const holder = decodeLeaseNote(seen);
    const isDead = standingOf(holder, processes) === 'dead';
    found.push({ run, host: holder?.host, beganAtMs: timeOfUlid(run), renewedAtMs, isDead });
  }
  return found.sort((a, b) => (a.run < b.run ? -1 : 1));
}

/** Whether the run may still live: it has a lease, and its process is not known to be dead. */
export async function mayBeAtWork(
  run: RunId,
  { storage, processes }: Pick<LeaseOptions, 'storage' | 'processes'>,
): Promise<boolean> {
  const standing = await leaseStanding({ storage, processes, path: runLeasePath(run) });
  return standing === 'alive' || standing === 'unknown';
}

function standingOf(holder: LeaseNote | undefined, processes: Processes): LeaseStanding {
  if (!holder) return 'unknown';
  if (processes.isDead(holder)) return 'dead';
  const { host, boot } = processes.self;
  return holder.host === host && holder.boot === boot ? 'alive' : 'unknown';
}

/** A lease as last seen, and for how long it has been watched without a change. */
interface Watched {
  readonly text: string;
  readonly process: string | undefined;
  readonly atMs: number;
  readonly unchangedMs: number;
}

/** Time without checks does not count: this process may have been suspended as well. */
function watchedOn(
  before: Watched | undefined,
  seen: Uint8Array,
  now: number,
  intervalMs: number,
): Watched {
  const text = Buffer.from(seen).toString('base64');
  const isSame = before?.text === text;
  const unchangedMs = isSame ? before.unchangedMs + Math.min(now - before.atMs, 2 * intervalMs) : 0;
  return { text, process: processOf(decodeLeaseNote(seen)), atMs: now, unchangedMs };
}

/** Says which process of which run it is; undefined of what is no lease. */
function processOf(holder: LeaseNote | undefined): string | undefined {
  return (
    holder && JSON.stringify([holder.run, holder.host, holder.boot, holder.pid, holder.started])
  );
}

/** Two runs may both take the lease; the one that lost it notices at its next renewal. */
async function takeAway(storage: Storage, path: string, seen: Uint8Array): Promise<void> {
  const now = await getIfThere(storage, path);
  if (now && Buffer.from(now).equals(seen)) await storage.delete(path);
}

/** Storages on which a lease could not be renewed or released, and none has been since. */
const outOfReach = new WeakSet<Storage>();

class HeldLease implements Lease {
  isLost = false;
  readonly #ended = new AbortController();
  readonly #renewing: Promise<void>;
  #note: LeaseNote;
  /** What is there if the lease is ours: more than one where an answer was lost, the newest first. */
  #written: readonly Uint8Array[];

  constructor(
    readonly options: LeaseOptions,
    note: LeaseNote,
  ) {
    this.#note = note;
    this.#written = [encodeLeaseNote(note)];
    this.#renewing = this.#renewUntilEnd();
  }

  async release(): Promise<void> {
    const { storage, path } = this.options;
    if (this.#ended.signal.aborted) return this.#renewing;
    this.#ended.abort();
    await this.#renewing;
    await this.#logFailure(async () => {
      if (await this.#isOurs()) await storage.delete(path);
    });
  }

  async #renewUntilEnd(): Promise<void> {
    const { clock, terms } = this.options;
    const { signal } = this.#ended;
    while (!this.isLost) {
      try {
        await clock.sleep(terms.leaseMs / RENEWALS, signal);
      } catch {
        return; // released
      }
      await this.#logFailure(() => this.#renew());
    }
  }

  async #renew(): Promise<void> {
    const { storage, path } = this.options;
    const isOurs = await this.#isOurs();
    this.#note = { ...this.#note, beat: this.#note.beat + 1 };
    const next = encodeLeaseNote(this.#note);
    this.#written = [next, ...this.#written];
    if (isOurs) await storage.put(path, next);
    // the lease was removed, or another run has taken it: the first one to put it holds it
    else this.isLost = !(await storage.putIfAbsent(path, next));
    this.#written = [next];
  }

  /** Whether this process has written last what is there. */
  async #isOurs(): Promise<boolean> {
    const seen = await getIfThere(this.options.storage, this.options.path);
    if (!seen) return false;
    return this.#written.some((bytes) => Buffer.compare(bytes, seen) === 0);
  }

  /** A failure of a lease must not end a run. */
  async #logFailure(work: () => Promise<void>): Promise<void> {
    const { logger, path, storage } = this.options;
    try {
      await work();
      outOfReach.delete(storage);
    } catch (error) {
      // many leases that fail for one cause are worth one warning
      const level = outOfReach.has(storage) ? 'info' : 'warn';
      outOfReach.add(storage);
      logger[level](
        { lease: path, reason: messageOf(error) },
        'a lease could not be renewed or released',
      );
    }
  }
}
