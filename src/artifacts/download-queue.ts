/**
 * Orders downloads: live URLs by the earliest deadline. Expired URLs wait until no live one is left. They are
 * then refreshed in rounds, each as large as can be downloaded before the fresh URLs expire.
 */
import type { Clock } from '../base/runtime.js';
import type { DownloadCapacity } from './download-capacity.js';

interface Ticket {
  /** Sequence number of the file: among equals the oldest goes first. */
  readonly order: number;
  /** Monotonic; null if unknown. */
  readonly deadlineMs: number | null;
  /** The URL is known to have expired, whatever its deadline. */
  readonly isStale: boolean;
}

interface Turn {
  readonly action: TurnAction;
  /** The refresh is over and the download begins in the same slot. */
  refreshed(): void;
  /** Frees the slot. Must always be called, also right before queueing again; idempotent. */
  leave(): void;
}

/**
 * - `download`: with a slot
 * - `refresh and download`: with a slot; get a fresh URL and use it at once, whatever its deadline
 * - `refresh`: get a fresh URL and queue again
 */
type TurnAction = 'download' | 'refresh and download' | 'refresh';

export interface DownloadQueue {
  /** Waits for the file's turn. @throws the signal's reason, when it is aborted before */
  turn(ticket: Ticket, signal: AbortSignal): Promise<Turn>;
}

export interface DownloadQueueOptions {
  readonly concurrency: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** How many URLs can be used before they expire. */
  readonly capacity: Pick<DownloadCapacity, 'files'>;
}

interface Waiting extends Ticket {
  grant(turn: Turn): void;
}

/** A URL without a deadline is queued as if it had the usual ten minutes. */
const ASSUMED_LIFE_MS = 600_000;

/**
 * Guarantees progress even if URLs expire faster than they can be used: each round of refreshes keeps a
 * slot for its oldest file, which is requested at once, so that each round settles a file.
 */
export function createDownloadQueue(options: DownloadQueueOptions): DownloadQueue {
  const { concurrency } = options;
  const live: (Waiting & { readonly dueMs: number })[] = []; // the most urgent last
  const stale: Waiting[] = []; // the oldest last
  let running = 0;
  let refreshing = 0;

  function pump(): void {
    while (running < concurrency) {
      const next = live.pop();
      if (next && isExpired(next)) insert(stale, next, byAge);
      else if (next) next.grant(open('download'));
      else break;
    }
    if (running < concurrency && refreshing === 0) refreshRound();
  }

  function refreshRound(): void {
    const round = stale.splice(-Math.max(concurrency, options.capacity.files())).reverse();
    const turns = round.map((_, index) => open(index === 0 ? 'refresh and download' : 'refresh'));
    round.forEach((waiting, index) => {
      const turn = turns[index];
      if (turn) waiting.grant(turn);
    });
  }

  function isExpired({ deadlineMs }: Ticket): boolean {
    return deadlineMs !== null && deadlineMs <= options.clock.monotonic();
  }

  function open(action: TurnAction): Turn {
    let holdsSlot = action !== 'refresh';
    let isRefreshing = action !== 'download';
    if (holdsSlot) running++;
    if (isRefreshing) refreshing++;
    const refreshed = () => {
      if (isRefreshing) refreshing--;
      isRefreshing = false;
      // deferred, so that a file that queues again at once with its fresh URL counts as live
      queueMicrotask(pump);
    };
    return {
      action,
      refreshed,
      leave() {
        if (holdsSlot) running--;
        holdsSlot = false;
        refreshed();
      },
    };
  }

  function add(waiting: Waiting): void {
    if (waiting.isStale) insert(stale, waiting, byAge);
    else {
      const dueMs = waiting.deadlineMs ?? options.clock.monotonic() + ASSUMED_LIFE_MS;
      insert(live, { ...waiting, dueMs }, byUrgency);
    }
    pump();
  }

  function forget(grant: Waiting['grant']): void {
    for (const list of [live, stale]) {
      const index = list.findIndex((waiting) => waiting.grant === grant);
      if (index >= 0) list.splice(index, 1);
    }
  }

  return {
    async turn(ticket, signal) {
      signal.throwIfAborted();
      return new Promise<Turn>((resolve, reject) => {
        const grant = (turn: Turn) => {
          signal.removeEventListener('abort', abort);
          resolve(turn);
        };
        const abort = () => {
          forget(grant);
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', abort, { once: true });
        add({ ...ticket, grant });
      });
    },
  };
}

function byAge(a: Ticket, b: Ticket): number {
  return b.order - a.order;
}

function byUrgency(a: Ticket & { dueMs: number }, b: Ticket & { dueMs: number }): number {
  return b.dueMs - a.dueMs || byAge(a, b);
}

/** Inserts into a sorted list by binary search. */
function insert<T>(list: T[], item: T, compare: (a: T, b: T) => number): void {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = list[middle];
    if (other !== undefined && compare(other, item) <= 0) low = middle + 1;
    else high = middle;
  }
  list.splice(low, 0, item);
}
