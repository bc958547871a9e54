/**
 * Whose turn it is: live URLs by the earliest deadline; dead ones wait until no live one is left, and are
 * then refreshed as many at a time as can be downloaded before the fresh URLs die in turn.
 */

interface Ticket {
  /** When the file first came: among equals the oldest goes first. */
  readonly order: number;
  /** Monotonic; null where nothing tells. */
  readonly deadlineMs: number | null;
  /** The URL is known to be dead, whatever its deadline. */
  readonly isStale: boolean;
}

interface Turn {
  readonly action: TurnAction;
  /** For who keeps a slot: the refresh is over and the download begins. */
  refreshed(): void;
  /** Must be called in the end, whatever happens, and right before queueing again; twice is harmless. */
  leave(): void;
}

/**
 * - `download`: a slot is yours
 * - `refresh and download`: a slot is yours; get a fresh URL and use it at once, whatever its deadline
 * - `refresh`: get a fresh URL and queue again
 */
type TurnAction = 'download' | 'refresh and download' | 'refresh';

export interface DownloadQueue {
  /** @throws the signal's reason, when it is aborted before the turn comes */
  turn(ticket: Ticket, signal: AbortSignal): Promise<Turn>;
}

export interface DownloadQueueOptions {
  readonly concurrency: number;
  monotonic(): number;
  /** How many URLs can be used before they die. */
  capacity(): number;
}

interface Waiting extends Ticket {
  grant(turn: Turn): void;
}

/** A URL without a deadline is queued as though it had the usual ten minutes. */
const ASSUMED_LIFE_MS = 600_000;

/**
 * Progress is certain even where URLs die faster than they can be used: every round of refreshes holds a
 * slot for its oldest file, which is then requested at once, so that each round settles something.
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
      if (next && isDead(next)) insert(stale, next, byAge);
      else if (next) next.grant(open('download'));
      else break;
    }
    if (running < concurrency && refreshing === 0) refreshRound();
  }

  function refreshRound(): void {
    const round = stale.splice(-Math.max(concurrency, options.capacity())).reverse();
    const turns = round.map((_, index) => open(index === 0 ? 'refresh and download' : 'refresh'));
    round.forEach((waiting, index) => {
      const turn = turns[index];
      if (turn) waiting.grant(turn);
    });
  }

  function isDead({ deadlineMs }: Ticket): boolean {
    return deadlineMs !== null && deadlineMs <= options.monotonic();
  }

  function open(action: TurnAction): Turn {
    let holdsSlot = action !== 'refresh';
    let isRefreshing = action !== 'download';
    if (holdsSlot) running++;
    if (isRefreshing) refreshing++;
    const refreshed = () => {
      if (isRefreshing) refreshing--;
      isRefreshing = false;
      // Later, so that a file that queues again at once with its fresh URL is counted as live.
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
      const dueMs = waiting.deadlineMs ?? options.monotonic() + ASSUMED_LIFE_MS;
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

/** Into a sorted list, by halving. */
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
