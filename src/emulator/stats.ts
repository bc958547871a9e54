/** Counts requests, for assertions on their number, rate and headers. */
import { OPERATION_NAMES, type OperationName } from '../model/operations.js';

/** One API request, in the order of arrival. */
export interface Arrival {
  readonly operation: OperationName;
  /** On the emulator's monotonic clock. */
  readonly atMs: number;
  readonly userId: string | undefined;
  readonly pathId: string | undefined;
  /** 0 before the answer, and if a fault broke the connection. */
  status: number;
}

/** Enough for every test. Bounded, because an emulator may run for days. */
const KEPT_ARRIVALS = 200_000;
const KEPT_HEADER_LINES = 10_000;

export class TrafficStats {
  /** API requests by operation, refused ones included. */
  readonly requests: Record<OperationName, number> = countsOfZero();
  /** The first 200,000 API requests. */
  readonly arrivals: Arrival[] = [];
  /** Answers with 429. */
  rateLimited = 0;
  /** The most API requests that arrived within any one second. */
  maxPerSecond = 0;
  /** Requests to the file host, refused ones included. */
  fileRequests = 0;
  /** Distinct `name: value` header lines sent to the file host; names in lower case. */
  readonly fileHeaderLines = new Set<string>();
  /** Distinct `name: value` header lines sent to the API; names in lower case. */
  readonly apiHeaderLines = new Set<string>();
  readonly #window: number[] = [];

  get totalRequests(): number {
    return OPERATION_NAMES.reduce((sum, operation) => sum + this.requests[operation], 0);
  }

  arrive(arrival: Arrival, headerLines: Iterable<string>): void {
    this.requests[arrival.operation]++;
    if (this.arrivals.length < KEPT_ARRIVALS) this.arrivals.push(arrival);
    this.#window.push(arrival.atMs);
    while ((this.#window[0] ?? Infinity) <= arrival.atMs - 1000) this.#window.shift();
    this.maxPerSecond = Math.max(this.maxPerSecond, this.#window.length);
    keep(this.apiHeaderLines, headerLines);
  }

  fileArrives(headerLines: Iterable<string>): void {
    this.fileRequests++;
    keep(this.fileHeaderLines, headerLines);
  }

  /** Sets all counts to 0. */
  reset(): void {
    for (const operation of OPERATION_NAMES) this.requests[operation] = 0;
    this.arrivals.length = 0;
    this.#window.length = 0;
    this.rateLimited = this.maxPerSecond = this.fileRequests = 0;
    this.fileHeaderLines.clear();
    this.apiHeaderLines.clear();
  }
}

function countsOfZero(): Record<OperationName, number> {
  return Object.fromEntries(OPERATION_NAMES.map((operation) => [operation, 0])) as Record<
    OperationName,
    number
  >;
}

function keep(lines: Set<string>, more: Iterable<string>): void {
  for (const line of more) if (lines.size < KEPT_HEADER_LINES) lines.add(line);
}

/** `name: value` header lines of a Node.js request. */
export function headerLinesOf(rawHeaders: readonly string[]): string[] {
  const lines: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    lines.push(`${(rawHeaders[i] ?? '').toLowerCase()}: ${rawHeaders[i + 1] ?? ''}`);
  }
  return lines;
}
