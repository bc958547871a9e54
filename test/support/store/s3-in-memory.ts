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

export interface Upload {
  readonly id: string;
  readonly key: string;
  readonly initiatedMs: number;
  readonly parts: Map<number, Buffer>;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** What breaks the connection after the body. */
  readonly breaksOff?: Error;
}

/** As in the SDK's names of commands: `PutObject`, `CompleteMultipartUpload`, … */
type Operation = string;

export class S3InMemory {
  readonly objects = new Map<string, StoredObject>();
  readonly uploads: Upload[] = [];
  /** The operations, in order. */
  readonly seen: Operation[] = [];
  readonly requests: HttpRequest[] = [];
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
  #ids = 0;

  bucket(options: S3Options = {}): S3Bucket {
    const bucket = new S3Bucket('s3://bucket/a', { region: 'us-east-1', ...options });
    const { config } = bucket.client;
    config.requestHandler = { handle: (request: HttpRequest) => this.#handle(request) } as never;
    config.credentials = () => Promise.resolve({ accessKeyId: 'key', secretAccessKey: 'secret' });
    return bucket;
  }

  begin(key: string, initiatedMs = this.nowMs): Upload {
    const upload = { id: `upload-${++this.#ids}`, key, initiatedMs, parts: new Map() };
    this.uploads.push(upload);
    return upload;
  }

  async #handle(request: HttpRequest): Promise<{ response: object }> {
    const operation = operationOf(request);
    this.seen.push(operation);
    this.requests.push(request);
    const body = await bytesOf(request.body);
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

  #answer(operation: Operation, { path, query, headers }: HttpRequest, body: Buffer): Answer {
    const key = decodeURIComponent(path.slice(1));
    const upload = this.uploads.find(({ id }) => id === query['uploadId']);
    if (query['uploadId'] !== undefined && !upload) return refusal(404, 'NoSuchUpload');
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
      case 'CreateMultipartUpload':
        return xml(`<UploadId>${this.begin(key).id}</UploadId>`);
      case 'UploadPart':
        upload?.parts.set(Number(query['partNumber']), body);
        return { status: 200, headers: { etag: `"${md5(body)}"` } };
      case 'CompleteMultipartUpload': {
        if (headers['if-none-match'] && stored) return refusal(412, 'PreconditionFailed');
        const { etag, checksum } = this.#complete(upload as Upload);
        return xml(`<ETag>${etag}</ETag><ChecksumSHA256>${checksum ?? ''}</ChecksumSHA256>`);
      }
      case 'AbortMultipartUpload':
        this.#remove(upload as Upload);
        return { status: 204 };
      case 'ListParts':
        return xml(
          `<UploadId>x</UploadId>${upload?.parts.size ? '<Part><PartNumber>1</PartNumber></Part>' : ''}`,
        );
      case 'ListMultipartUploads':
        return xml(`<Bucket>bucket</Bucket>${this.#listed(String(query['prefix']))}`);
      default:
        throw new Error(`not known here: ${operation}`);
    }
  }

  #put(key: string, bytes: Buffer, putId: string | undefined): StoredObject {
    const object = { bytes, etag: `"${md5(bytes)}"`, putId, checksum: undefined };
    this.objects.set(key, object);
    return object;
  }

  #complete(upload: Upload): StoredObject {
    const parts = [...upload.parts].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
    const composite = (algorithm: string) => {
      const hash = createHash(algorithm);
      for (const part of parts) hash.update(createHash(algorithm).update(part).digest());
      return hash;
    };
    const object = {
      bytes: Buffer.concat(parts),
      etag: `"${composite('md5').digest('hex')}-${parts.length}"`,
      putId: undefined,
      checksum: `${composite('sha256').digest('base64')}-${parts.length}`,
    };
    this.objects.set(upload.key, object);
    this.#remove(upload);
    return object;
  }

  #remove(upload: Upload): void {
    this.uploads.splice(this.uploads.indexOf(upload), 1);
  }

  #listed(prefix: string): string {
    return this.uploads
      .filter(({ key }) => key.startsWith(prefix))
      .map(({ id, key, initiatedMs }) => {
        const at = new Date(initiatedMs).toISOString();
        return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${at}</Initiated></Upload>`;
      })
      .join('');
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
  if ('uploads' in query)
    return method === 'GET' ? 'ListMultipartUploads' : 'CreateMultipartUpload';
  if ('uploadId' in query) return UPLOAD_OPERATIONS[method] ?? method;
  return OBJECT_OPERATIONS[method] ?? `${method} ${Object.keys(headers).join()}`;
}

const UPLOAD_OPERATIONS: Readonly<Record<string, Operation>> = {
  PUT: 'UploadPart',
  POST: 'CompleteMultipartUpload',
  DELETE: 'AbortMultipartUpload',
  GET: 'ListParts',
};
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

function xml(inner: string): Answer {
  return { status: 200, body: `<Result>${inner}</Result>` };
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

async function bytesOf(body: unknown): Promise<Buffer> {
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
