/** S3 as far as the adapter needs it, in memory, below the SDK's client: for unit tests, which have no sockets. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { S3Bucket } from '../../../src/storage/s3/s3-bucket.js';
import type { S3Options } from '../../../src/storage/s3/s3-options.js';

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

interface StoredObject {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly putId: string | undefined;
  readonly checksum: string | undefined;
}

/** What the SDK tells its handler of a request. */
interface HandlerOptions {
  readonly abortSignal?: AbortSignal;
  readonly requestTimeout?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** What breaks the connection after the body. */
  readonly breaksOff?: Error;
}

/** As in the SDK's names of commands: `PutObject`, `HeadObject`, … */
type Operation = string;

export class S3InMemory {
  readonly objects = new Map<string, StoredObject>();
  /** The operations, in order. */
  readonly seen: Operation[] = [];
  readonly requests: HttpRequest[] = [];
  /** Of each request that had one of its own. */
  readonly timeoutsMs: number[] = [];
  /** Whether it reads what is sent before it answers, as stores do unless they refuse at once. */
  readsBodies = true;
  /** Of each answer. */
  readonly bodies: Readable[] = [];
  /** Answers in the store's place, where it answers. */
  onRequest: (operation: Operation, request: HttpRequest) => Answer | undefined = () => undefined;
  /** Of whole seconds. */
  nowMs = Math.floor(Date.now() / 1000) * 1000;
  /** Called after the store has done what it was asked; may change the answer, or throw: then no answer comes. */
  onAnswer: (operation: Operation, answer: Answer) => Answer | Promise<Answer> = (_, answer) =>
    answer;
  /** Whether it refuses what is signed a quarter of an hour or more from its own time, as stores do. */
  refusesSkew = false;
  /** Whether it takes conditions of a put and does not keep them. */
  ignoresConditions = false;

  bucket(options: S3Options = {}): S3Bucket {
    const bucket = new S3Bucket('s3://bucket/a', { region: 'us-east-1', ...options });
    const { config } = bucket.client;
    config.requestHandler = {
      handle: (request: HttpRequest, given: HandlerOptions) => this.#handle(request, given),
    } as never;
    config.credentials = () => Promise.resolve({ accessKeyId: 'key', secretAccessKey: 'secret' });
    return bucket;
  }

  async #handle(
    request: HttpRequest,
    { abortSignal, requestTimeout }: HandlerOptions,
  ): Promise<{ response: object }> {
    if (requestTimeout !== undefined) this.timeoutsMs.push(requestTimeout);
    const operation = operationOf(request);
    this.seen.push(operation);
    this.requests.push(request);
    const body = this.readsBodies ? await readBody(request.body, abortSignal) : Buffer.alloc(0);
    const isRefused = this.refusesSkew && Math.abs(signedMs(request) - this.nowMs) >= 900_000;
    const done = isRefused
      ? skewed(request)
      : (this.onRequest(operation, request) ?? this.#answer(operation, request, body));
    const answer = await this.onAnswer(operation, done);
    const stream = Readable.from(streamed(answer));
    this.bodies.push(stream);
    return {
      response: {
        statusCode: answer.status,
        headers: { date: new Date(this.nowMs).toUTCString(), ...answer.headers },
        body: stream,
      },
    };
  }

  #answer(operation: Operation, { path, headers }: HttpRequest, body: Buffer): Answer {
    const key = decodeURIComponent(path.slice(1));
    const stored = this.objects.get(key);
    switch (operation) {
      case 'PutObject': {
        if (this.ignoresConditions) return described(this.#put(key, body, undefined));
        if (headers['if-none-match'] && stored) return refusal(412, 'PreconditionFailed');
        const ifMatch = headers['if-match'];
        if (ifMatch && !stored) return refusal(404, 'NoSuchKey');
        if (ifMatch && stored?.etag !== ifMatch) return refusal(412, 'PreconditionFailed');
        return described(this.#put(key, body, headers['x-amz-meta-jobvault-put']));
      }
      case 'GetObject':
        return stored ? { ...described(stored), body: stored.bytes } : refusal(404, 'NoSuchKey');
      case 'HeadObject':
        return stored ? described(stored) : { status: 404 };
      case 'GetObjectLockConfiguration':
        return refusal(404, 'ObjectLockConfigurationNotFoundError');
      case 'DeleteObject':
        this.objects.delete(key);
        return { status: 204 };
      default:
        throw new Error(`not known here: ${operation}`);
    }
  }

  #put(key: string, bytes: Buffer, putId: string | undefined): StoredObject {
    const object = { bytes, etag: `"${md5(bytes)}"`, putId, checksum: undefined };
    this.objects.set(key, object);
    return object;
  }
}

/** No answer came. */
export function cutOff(): never {
  throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
}

async function* streamed({ body = '', breaksOff }: Answer): AsyncGenerator<Buffer> {
  await Promise.resolve();
  yield Buffer.from(body);
  if (breaksOff) throw breaksOff;
}

function operationOf({ method, query, headers }: HttpRequest): Operation {
  if ('object-lock' in query) return 'GetObjectLockConfiguration';
  return OBJECT_OPERATIONS[method] ?? `${method} ${Object.keys(headers).join()}`;
}

const OBJECT_OPERATIONS: Readonly<Record<string, Operation>> = {
  PUT: 'PutObject',
  GET: 'GetObject',
  HEAD: 'HeadObject',
  DELETE: 'DeleteObject',
};

function described({ bytes, etag, putId, checksum }: StoredObject): Answer {
  const headers: Record<string, string> = { etag, 'content-length': String(bytes.byteLength) };
  if (putId !== undefined) headers['x-amz-meta-jobvault-put'] = putId;
  if (checksum !== undefined) headers['x-amz-checksum-sha256'] = checksum;
  return { status: 200, headers };
}

function refusal(status: number, code: string): Answer {
  return { status, body: `<Error><Code>${code}</Code></Error>` };
}

/** Of a HEAD without a body, so that only its status tells. */
function skewed({ method }: HttpRequest): Answer {
  return method === 'HEAD' ? { status: 403 } : refusal(403, 'RequestTimeTooSkewed');
}

/** When the request was signed, by the clock of its sender. */
function signedMs({ headers }: HttpRequest): number {
  const [, date, time] = /^(\d{8})T(\d{6})Z$/.exec(headers['x-amz-date'] ?? '') ?? [];
  const pairs = `${date}${time}`.match(/../g) ?? [];
  const [century, year, month, day, hour, minute, second] = pairs;
  return Date.parse(`${century}${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** As the SDK's handler: a request that is given up has no answer. */
async function readBody(body: unknown, signal: AbortSignal | undefined): Promise<Buffer> {
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body);
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk);
  } catch {
    await new Promise((_, reject) => {
      const abort = () => reject(Object.assign(new Error('aborted'), { name: 'AbortError' }));
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort);
    });
  }
  return Buffer.concat(chunks);
}
