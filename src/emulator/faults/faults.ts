/** The faults that the emulator can show. It holds one such object; tests may change any part of it at any time. */
import type { OperationName } from '../../model/operations.js';
import type { RandomStream } from '../seed/seed-plan.js';
import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Clock } from '../../base/runtime.js';

/** The order of records in lists and histories; `shuffled` differs with every request. */
export const ORDERS = ['newest', 'oldest', 'shuffled'] as const;
type Order = (typeof ORDERS)[number];

/** `total_items`: right, the length of the page, absent, or one more with every request. */
type Totals = 'right' | 'page' | 'absent' | 'growing';

export interface Faults {
  /** Before every API answer. */
  latencyMs: number;
  /** Before every file answer. */
  fileLatencyMs: number;
  /** Bytes a second of each file's body; 0 sends at full speed. */
  fileBytesPerSecond: number;
  /** The first rule that strikes decides. */
  api: readonly ApiFault[];
  /** The first rule that strikes decides. */
  files: readonly FileFault[];
  /** Histories of other sessions, as a mis-keyed cache sends them. The first rule that strikes decides. */
  histories: readonly HistoryFault[];
  /** The name of a parameter in every file URL that no presigning scheme has and whose value changes with every read; empty: none. */
  changingUrlParameter: string;
  order: Order;
  /** The largest page that is granted, whatever the request; 0 leaves the maximum as configured. */
  clampPageSize: number;
  /** A larger page is refused with 300001 instead of clamped; 0 never refuses. */
  refusePageSizeAbove: number;
  totalItems: Totals;
  /** Numbers of pages that come without records, whatever the others have. */
  emptyPages: readonly number[];
  /** `records` of a page without any: a list, or null, as some languages write it. */
  emptyRecords: 'list' | 'null';
  /** By the id of a session or a job: a number that its record has as Python writes it, which is no JSON. */
  bareNumbers: Readonly<Record<string, 'NaN' | 'Infinity' | '-Infinity'>>;
  /** Every page has the records of page 1 and the requested page number. */
  repeatPage: boolean;
  /** The `page_number` of an answer, instead of the requested one. */
  echoedPageNumber: ((asked: number) => number) | undefined;
  /** Names over 128 and descriptions over 5000 characters are refused with 300001 instead of cut when shown. */
  refuseLongNames: boolean;
  /** The dataset overview's code: nested, as the interface documents it, or plain, as in other answers. */
  overviewCode: 'nested' | 'plain';
  /** `data` in the answers of modify and delete. */
  emptyData: 'object' | 'null';
  /** DELETE of a session deletes it and then answers 500 (9999). */
  deleteAnswers500AfterDeleting: boolean;
  /** Users for whom every operation is refused, and the code: 1003 (HTTP 403) or 300002 (HTTP 200). */
  refusedUsers: Readonly<Record<string, 1003 | 300002>>;
  /** The user whom the id of a request means: a service may take `Ana` for `ana`. */
  resolveUser: (userId: string) => string;
  /** Called before each request is carried out: for example to insert and delete while a client pages. */
  beforeRequest: ((request: SeenRequest) => void | Promise<void>) | undefined;
}

/** A request, as the hook gets it. */
export interface SeenRequest {
  readonly operation: OperationName;
  readonly userId: string | undefined;
  readonly pathId: string | undefined;
  /** The number of the request among those of its operation, from 1. */
  readonly nth: number;
}

/** Which of the matching requests a rule affects. Without any of these: all. */
interface Occasion {
  /** Only the first n matching requests. */
  readonly first?: number;
  /** Only after n matching requests without the fault. */
  readonly after?: number;
  /** Every nth matching request. */
  readonly every?: number;
  /** A probability, from 0 to 1; random numbers come from the emulator's seed. */
  readonly probability?: number;
}

export interface ApiFault extends Occasion {
  /** All operations when absent. */
  readonly operations?: readonly OperationName[];
  readonly userId?: string;
  /** The id in the path: a session's or a dataset's. */
  readonly pathId?: string;
  /** Carries the operation out before the fault is sent. Otherwise only faults that need the right body do so. */
  readonly afterHandling?: boolean;
  readonly answer: ApiFaultAnswer;
}

/** The right body, sent as networks break it. */
export type Manner =
  /** With its length announced, and the connection reset in the middle. */
  | { readonly kind: 'reset'; readonly afterBytes: number }
  /** Without a length, closed in the middle: the client gets no error. */
  | { readonly kind: 'truncate'; readonly afterBytes: number }
  /** In pieces of `bytes`, with `pauseMs` between them. */
  | { readonly kind: 'drip'; readonly bytes: number; readonly pauseMs: number }
  /** No answer at all, until the client goes away. */
  | { readonly kind: 'hang' };

/** Faults of both servers. */
export type CommonFaultAnswer =
  | Manner
  /** A proxy's login page with status 200. */
  | { readonly kind: 'html' }
  /** An arbitrary body. */
  | {
      readonly kind: 'body';
      readonly status?: number;
      readonly contentType?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string | Uint8Array;
    };

export type ApiFaultAnswer =
  | CommonFaultAnswer
  | {
      readonly kind: 'error';
      readonly status: number;
      /** The envelope's code; without one the body is empty, as from a gateway. */
      readonly code?: number;
      readonly message?: string;
      /** Sent as it is: seconds, an HTTP date, nonsense. */
      readonly retryAfter?: string;
    }
  | { readonly kind: 'invalid-json' }
  | { readonly kind: 'redirect'; readonly status?: number; readonly location: string }
  /** The right JSON followed by `bytes` of white space, gzipped or plain. */
  | { readonly kind: 'padded'; readonly bytes: number; readonly gzip: boolean };

/** A session that is answered with the history of another one. */
export interface HistoryFault extends Occasion {
  /** Whose history is asked for. */
  readonly session: string;
  /** Whose history is sent; null: an empty one. */
  readonly sent: { readonly userId: string; readonly session: string } | null;
}

export interface FileFault extends Occasion {
  /** Part of the file's key; all files when absent. */
  readonly key?: string;
  readonly answer: FileFaultAnswer;
}

export type FileFaultAnswer =
  | CommonFaultAnswer
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: string }
  /** Status 200 with S3's error document instead of the file. */
  | { readonly kind: 'xml' }
  /** `hops` redirects on this origin (default 0), then one to `location`; without a location at least one, then the file. */
  | { readonly kind: 'redirect'; readonly location?: string; readonly hops?: number };

/** No fault; records newest first. */
export function noFaults(): Faults {
  return {
    latencyMs: 0,
    fileLatencyMs: 0,
    fileBytesPerSecond: 0,
    api: [],
    files: [],
    histories: [],
    changingUrlParameter: '',
    order: 'newest',
    clampPageSize: 0,
    refusePageSizeAbove: 0,
    totalItems: 'right',
    emptyPages: [],
    emptyRecords: 'list',
    bareNumbers: {},
    repeatPage: false,
    echoedPageNumber: undefined,
    refuseLongNames: false,
    overviewCode: 'nested',
    emptyData: 'object',
    deleteAnswers500AfterDeleting: false,
    refusedUsers: {},
    resolveUser: (userId) => userId,
    beforeRequest: undefined,
  };
}

/** Decides which requests a rule affects. Counts by rule object: a new object starts at 0. */
export class Occasions {
  readonly #matched = new WeakMap<Occasion, number>();
  readonly #struck = new WeakMap<Occasion, number>();
  readonly #random: RandomStream;

  constructor(random: RandomStream) {
    this.#random = random;
  }

  /** The first rule that matches and affects this request. Matching rules before it count the request. */
  strike<Rule extends Occasion>(
    rules: readonly Rule[],
    matches: (rule: Rule) => boolean,
  ): Rule | undefined {
    return rules.find((rule) => matches(rule) && this.#isDue(rule));
  }

  #isDue(rule: Occasion): boolean {
    const nth = (this.#matched.get(rule) ?? 0) + 1;
    this.#matched.set(rule, nth);
    const past = nth - (rule.after ?? 0);
    if (past <= 0) return false;
    if (rule.every !== undefined && past % rule.every !== 0) return false;
    if (rule.probability !== undefined && this.#random.fraction() >= rule.probability) return false;
    const strikes = (this.#struck.get(rule) ?? 0) + 1;
    if (rule.first !== undefined && strikes > rule.first) return false;
    this.#struck.set(rule, strikes);
    return true;
  }
}

/** Sends a body whole, or broken as networks break it: cut, slow, without a length. Writes to the socket itself. */
export interface Answer {
  readonly status: number;
  /** Without `content-length`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An answer and how it is sent. */
export interface Reply {
  readonly answer: Answer;
  /** Default: whole. */
  readonly manner?: Manner;
}

interface SendContext {
  readonly clock: Clock;
  /** Aborted when the emulator closes. */
  readonly closing: AbortSignal;
}

/** Resolves when everything that is to be sent has been sent. Does not reject if the client closes the connection. */
export async function sendAnswer(
  response: ServerResponse,
  { answer, manner }: Reply,
  context: SendContext,
): Promise<void> {
  const length = { 'content-length': String(answer.body.length) };
  switch (manner?.kind) {
    case undefined:
      response.writeHead(answer.status, { ...answer.headers, ...length });
      response.end(answer.body);
      return;
    case 'hang':
      return;
    case 'reset':
      response.writeHead(answer.status, { ...answer.headers, ...length });
      await written(response, answer.body.subarray(0, manner.afterBytes));
      response.socket?.resetAndDestroy();
      return;
    case 'truncate':
      truncate(response, answer, manner.afterBytes);
      return;
    case 'drip':
      response.writeHead(answer.status, { ...answer.headers, ...length });
      await drip(response, answer.body, manner, context);
  }
}

/** Writes the head by hand: Node.js would send chunks, and a client notices when the last one is missing. */
function truncate(
  response: ServerResponse,
  { status, headers, body }: Answer,
  bytes: number,
): void {
  const head = Object.entries({ ...headers, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const { socket } = response;
  socket?.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head.join('')}\r\n`);
  socket?.end(body.subarray(0, bytes));
}

async function drip(
  response: ServerResponse,
  body: Uint8Array,
  { bytes, pauseMs }: { readonly bytes: number; readonly pauseMs: number },
  { clock, closing }: SendContext,
): Promise<void> {
  for (let at = 0; at < body.length; at += bytes) {
    if (at > 0) await clock.sleep(pauseMs, closing).catch(() => undefined);
    if (response.destroyed || closing.aborted) return;
    await written(response, body.subarray(at, at + bytes));
  }
  response.end();
}

/** Sends the head even if the part is empty. */
function written(response: ServerResponse, part: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    if (part.length === 0) response.flushHeaders();
    response.write(part, () => {
      response.off('close', resolve);
      resolve();
    });
  });
}

export async function sleepUnlessClosing(ms: number, context: SendContext): Promise<void> {
  if (ms > 0) await context.clock.sleep(ms, context.closing).catch(() => undefined);
}
