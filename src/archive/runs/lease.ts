/**
 * A courtesy lease on one object: spares two runs doing the same work. It may be stolen or held twice
 * for a moment; what is right is decided by the log alone (I-31, I-32 in FORMAT.md).
 */
import type { Clock } from '../../base/clock.js';
import { messageOf } from '../../base/error.js';
import type { Logger } from '../../base/logger.js';
import type { Random } from '../../base/random.js';
import type { RunId } from '../../model/ids.js';
import { ObjectNotFoundError } from '../../storage/object-not-found-error.js';
import type { Processes } from '../../base/process-identity.js';
import type { Storage } from '../../storage/storage.js';
import { runLeasePath } from '../paths.js';
import { LeaseHeldError } from './lease-held-error.js';
import { decodeLeaseNote, encodeLeaseNote, type LeaseNote } from './lease-note.js';

const LEASE_TERM_MS = 30_000;
/** Renewals in a term: two may fail. */
const RENEWALS = 3;
/** Looks at another's lease in a term. */
const LOOKS = 15;

export interface LeaseOptions {
  readonly storage: Storage;
  readonly path: string;
  readonly run: RunId;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Default 30 s. */
  readonly termMs?: number | undefined;
}

export interface AcquireOptions extends LeaseOptions {
  /** For errors: `user ada`. */
  readonly subject: string;
  /**
   * What to do where another holds it who is not known to be dead. `none`: give up at once. `term`:
   * give up as soon as it is known to live; one of another machine is watched for a term. `endless`: wait.
   */
  readonly wait: 'none' | 'term' | 'endless';
  /** Told once of each that is waited for; undefined where the lease does not read as one. */
  readonly onWait?: (holder: LeaseNote | undefined) => void;
  /** Ends the waiting, not the lease. */
  readonly signal?: AbortSignal | undefined;
}

export interface Lease {
  /** Whether another has taken it. No error: the log decides. */
  readonly isLost: boolean;
  /** Stops renewing, and removes the lease where it is still ours. Harmless when repeated; never fails. */
  release(): Promise<void>;
}

/**
 * @throws {LeaseHeldError} another run holds it, and the wait is over
 * @throws {StorageError} the lease can neither be read nor written
 * @throws the signal's reason
 */
export async function acquireLease(options: AcquireOptions): Promise<Lease> {
  const { storage, path, clock, signal, subject, wait } = options;
  const { run, processes, random, termMs = LEASE_TERM_MS } = options;
  const nonce = Buffer.from(random.bytes(16)).toString('hex');
  const note: LeaseNote = { run, ...processes.self, nonce, beat: 0 };
  const lookMs = termMs / LOOKS;
  let watched: Watched | undefined;
  for (;;) {
    signal?.throwIfAborted();
    if (await storage.putIfAbsent(path, encodeLeaseNote(note))) return new HeldLease(options, note);
    const seen = await readIfThere(storage, path);
    if (!seen) continue;
    const now = clock.monotonic();
    const before = watched;
    watched = watchedOn(watched, seen, now, lookMs);
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
    if (!before || before.nonce !== holder?.nonce) options.onWait?.(holder);
    await clock.sleep(lookMs, signal);
  }
}

/** What can be said at once of who holds a lease; `unknown` of a process elsewhere. */
export type LeaseStanding = 'free' | 'dead' | 'alive' | 'unknown';

export async function leaseStanding({
  storage,
  path,
  processes,
}: Pick<LeaseOptions, 'storage' | 'path' | 'processes'>): Promise<LeaseStanding> {
  const seen = await readIfThere(storage, path);
  return seen ? standingOf(decodeLeaseNote(seen), processes) : 'free';
}

/** Whether the run may still be at work: its lease stands, and its process is not known to be dead. */
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

/** A lease as it was seen last, and for how long it has been watched without changing. */
interface Watched {
  readonly text: string;
  readonly nonce: string | undefined;
  readonly atMs: number;
  readonly unchangedMs: number;
}

/** Time that passed while we did not look (we were stopped, too) does not count. */
function watchedOn(
  before: Watched | undefined,
  seen: Uint8Array,
  now: number,
  lookMs: number,
): Watched {
  const text = Buffer.from(seen).toString('base64');
  const isSame = before?.text === text;
  const unchangedMs = isSame ? before.unchangedMs + Math.min(now - before.atMs, 2 * lookMs) : 0;
  return { text, nonce: decodeLeaseNote(seen)?.nonce, atMs: now, unchangedMs };
}

/** Two challengers may both come here; the one that is overrun notices with its next renewal. */
async function takeAway(storage: Storage, path: string, seen: Uint8Array): Promise<void> {
  const now = await readIfThere(storage, path);
  if (now && Buffer.from(now).equals(seen)) await storage.delete(path);
}

async function readIfThere(storage: Storage, path: string): Promise<Uint8Array | undefined> {
  try {
    return await storage.get(path);
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return undefined;
    throw error;
  }
}

class HeldLease implements Lease {
  isLost = false;
  readonly #ended = new AbortController();
  readonly #renewing: Promise<void>;
  #note: LeaseNote;

  constructor(
    readonly options: LeaseOptions,
    note: LeaseNote,
  ) {
    this.#note = note;
    this.#renewing = this.#renewUntilEnd();
  }

  async release(): Promise<void> {
    const { storage, path } = this.options;
    if (this.#ended.signal.aborted) return this.#renewing;
    this.#ended.abort();
    await this.#renewing;
    if (this.isLost) return;
    await this.#courteously(async () => {
      if (await this.#isOurs()) await storage.delete(path);
    });
  }

  async #renewUntilEnd(): Promise<void> {
    const { clock, termMs = LEASE_TERM_MS } = this.options;
    const { signal } = this.#ended;
    while (!this.isLost) {
      try {
        await clock.sleep(termMs / RENEWALS, signal);
      } catch {
        return; // released
      }
      await this.#courteously(() => this.#renew());
    }
  }

  async #renew(): Promise<void> {
    const { storage, path } = this.options;
    const next = { ...this.#note, beat: this.#note.beat + 1 };
    const isOurs = await this.#isOurs();
    if (isOurs) await storage.put(path, encodeLeaseNote(next));
    // somebody has tidied up, or is about to take it: the quicker one gets it
    else
      this.isLost = isOurs === false || !(await storage.putIfAbsent(path, encodeLeaseNote(next)));
    this.#note = next;
  }

  /** Undefined where nothing stands. */
  async #isOurs(): Promise<boolean | undefined> {
    const seen = await readIfThere(this.options.storage, this.options.path);
    return seen && decodeLeaseNote(seen)?.nonce === this.#note.nonce;
  }

  /** Nothing that happens to a lease may end a run. */
  async #courteously(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const { logger, path } = this.options;
      logger.warn({ lease: path, reason: messageOf(error) }, 'a lease could not be kept');
    }
  }
}
