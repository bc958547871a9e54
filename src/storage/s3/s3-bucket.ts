/** A bucket and the archive's prefix in it: keys, options of new objects, and failures as one sentence. */
import { shownAddress } from '../../base/text/address.js';
import {
  GetBucketVersioningCommand,
  GetObjectLockConfigurationCommand,
  type ObjectCannedACL,
  type PutObjectCommandInput,
  S3Client,
  type StorageClass,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { silentLogger, type Logger } from '../../base/logger.js';
import { assertObjectPath, type KeptVersions } from '../storage.js';
import {
  nameOf,
  s3Failure,
  s3Trouble,
  type S3Action,
  jitteredRetries,
  type OnTrouble,
} from './s3-failure.js';
import { parseS3Location, tagHeader, type S3Options } from './s3-options.js';
import { StorageError } from '../storage-errors.js';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { staleBecause } from '../../base/http/stale-answer.js';
import { redactText } from '../../base/text/redact.js';
import { proxyFromEnvironment } from '../../base/http/proxy.js';
import { ProxyAgent } from '../../base/http/proxy-agent.js';
import { systemRandom, systemClock } from '../../base/runtime.js';

type NewObject = Pick<
  PutObjectCommandInput,
  | 'Bucket'
  | 'Key'
  | 'ACL'
  | 'StorageClass'
  | 'ServerSideEncryption'
  | 'SSEKMSKeyId'
  | 'Tagging'
  | 'ObjectLockMode'
  | 'ObjectLockRetainUntilDate'
>;

export class S3Bucket {
  readonly client: S3Client;
  readonly name: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  readonly #tags: string | undefined;
  #lockable: Promise<void> | undefined;

  constructor(
    /** `s3://bucket/prefix` */
    readonly location: string,
    readonly options: S3Options,
    logger: Logger = silentLogger,
  ) {
    const { bucket, prefix } = parseS3Location(location);
    this.name = bucket;
    this.prefix = prefix;
    this.#tags = tagHeader(options.tags);
    this.client = createS3Client(options, (error, attempts) => {
      const at = options.endpoint === undefined ? '' : ` at ${shownAddress(options.endpoint)}`;
      const fields = { storage: location, attempts };
      logger.info(fields, `${location}${at}: ${s3Trouble(error)}; trying again`);
    });
    askPastCaches(this.client);
    checkAnswers(this.client);
  }

  /** Whether nothing names another store. */
  get asksAws(): boolean {
    const { AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_S3: ofS3 } = process.env;
    return [this.options.endpoint, all, ofS3].every((one) => one === undefined || one === '');
  }

  keyOf(path: string): string {
    assertObjectPath(path);
    return this.prefix + path;
  }

  /** Runs a request, with the retries of the client. @throws {StorageError} */
  async ask<T>(action: S3Action, subject: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw this.failure(action, subject, error);
    }
  }

  failure(action: S3Action, subject: string, thrown: unknown): Error {
    const { location, asksAws } = this;
    const sendsChecksums = this.options.checksum !== 'none';
    return s3Failure(action, subject, { location, asksAws, sendsChecksums }, thrown);
  }

  /** Headers of a new object. */
  newObject(path: string): NewObject {
    const { acl, sse, kmsKeyId, storageClass, objectLock } = this.options;
    const isKept = isRetained(path);
    return {
      ...this.objectAt(path),
      ACL: acl as ObjectCannedACL | undefined,
      StorageClass: isKept ? (storageClass as StorageClass | undefined) : undefined,
      ServerSideEncryption: sse,
      SSEKMSKeyId: kmsKeyId,
      Tagging: this.#tags,
      ...(objectLock && isKept
        ? { ObjectLockMode: objectLock, ObjectLockRetainUntilDate: this.#retainUntil() }
        : {}),
    };
  }

  objectAt(path: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.name, Key: this.keyOf(path) };
  }

  /**
   * Checks object lock before the first write: a bucket without it refuses a retention or, worse, ignores it.
   *
   * @throws {StorageError}
   */
  async assertLockable(): Promise<void> {
    if (this.options.objectLock === undefined) return;
    await (this.#lockable ??= this.#checkLock());
  }

  /** Whether objects here can be retained; undefined without the permission to read that. @throws {StorageError} */
  async hasObjectLock(): Promise<boolean | undefined> {
    const request = new GetObjectLockConfigurationCommand({ Bucket: this.name });
    try {
      const { ObjectLockConfiguration: lock } = await this.client.send(request);
      return lock?.ObjectLockEnabled === 'Enabled';
    } catch (error) {
      if (WITHOUT_LOCK.has(nameOf(error))) return false;
      if (nameOf(error) === 'AccessDenied') return undefined;
      throw this.failure('look at', 'the object lock of the bucket', error);
    }
  }

  /** Whether the bucket keeps deleted objects. @throws {StorageError} */
  async keptVersions(): Promise<KeptVersions | undefined> {
    if (await this.hasObjectLock()) {
      const why = 'the bucket has object lock and keeps deleted objects until their retention ends';
      return { by: 'locked', why };
    }
    const request = new GetBucketVersioningCommand({ Bucket: this.name });
    try {
      const { Status: status } = await this.client.send(request);
      if (status === undefined) return undefined;
      return {
        by: 'versioned',
        why: 'the bucket keeps old versions until they expire or are deleted',
      };
    } catch (error) {
      if (nameOf(error) !== 'AccessDenied') {
        throw this.failure('look at', 'the versioning of the bucket', error);
      }
      const why =
        'no permission to see whether the bucket keeps old versions (s3:GetBucketVersioning)';
      return { by: 'versioned', why };
    }
  }

  async #checkLock(): Promise<void> {
    const hasLock = await this.hasObjectLock();
    if (hasLock) return;
    const reason =
      hasLock === false
        ? 'the bucket has no object lock; use a bucket with object lock and versioning, or omit --s3-object-lock'
        : 'no permission to see whether the bucket has object lock (s3:GetBucketObjectLockConfiguration)';
    const trouble = hasLock === false ? 'unsupported' : 'permission';
    throw new StorageError(`cannot lock objects in ${this.location}: ${reason}`, { trouble });
  }

  #retainUntil(): Date | undefined {
    const { retainUntil: until } = this.options;
    if (!until) return undefined;
    return new Date('untilMs' in until ? until.untilMs : Date.now() + until.forMs);
  }
}

const WITHOUT_LOCK = new Set([
  'ObjectLockConfigurationNotFoundError',
  'InvalidRequest', // some stores, for a bucket without object lock
  'NotImplemented',
  'MethodNotAllowed',
]);

/**
 * Housekeeping, which jobvault overwrites and removes: paths that begin with `_`, but for the log and its time stamps. Its
 * objects get no retention and no storage class.
 */
const HOUSEKEEPING = /^_(?!commits\/|timestamps\/)/;

/** Whether an object gets the chosen retention and storage class. */
function isRetained(path: string): boolean {
  return !HOUSEKEEPING.test(path);
}

/** Asks for what the store has now, as of the service: a cache in front of it would hide a hold, or a newer commit. */
function askPastCaches(client: S3Client): void {
  client.middlewareStack.add(
    (next) => (args) => {
      const { method, headers } = args.request as {
        readonly method: string;
        readonly headers: Record<string, string>;
      };
      // of a put it would be a property of the object
      if (method === 'GET' || method === 'HEAD') {
        headers['cache-control'] = 'no-cache, no-store';
        headers['pragma'] = 'no-cache';
      }
      return next(args);
    },
    { step: 'build', name: 'jobvaultAskPastCaches' },
  );
}

/**
 * Rejects false answers with status 200: a proxy's page, an error in the body, another object's checksum, a list without
 * its next page; and any that a cache has given from its memory, also "not found". Without this an empty list would be
 * accepted. The check runs inside the retries, so that the request is sent again.
 */

type Fields = Readonly<Record<string, unknown>>;

/** What the answer to each command must have. */
const PROOF: Readonly<Record<string, string>> = {
  PutObjectCommand: 'ETag',
  GetObjectCommand: 'ETag',
  HeadObjectCommand: 'ETag',
  CopyObjectCommand: 'CopyObjectResult',
  ListObjectsV2Command: 'Name',
  ListObjectVersionsCommand: 'Name',
};

/** Of each list: where it was asked to go on, and where it says that it does. */
const MARKS: Readonly<Record<string, readonly (readonly [given: string, next: string])[]>> = {
  ListObjectsV2Command: [['ContinuationToken', 'NextContinuationToken']],
  ListObjectVersionsCommand: [
    ['KeyMarker', 'NextKeyMarker'],
    ['VersionIdMarker', 'NextVersionIdMarker'],
  ],
};

function checkAnswers(client: S3Client): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args).catch((error: unknown) => {
        assertFresh((error as { readonly $response?: RawAnswer } | null)?.$response);
        throw error;
      });
      const response = result.response as RawAnswer;
      assertFresh(response);
      const command = String(context['commandName']);
      assertDeleted(command, response);
      assertAnswer(command, args.input as unknown as Fields, result.output as unknown as Fields);
      return result;
    },
    { step: 'finalizeRequest', priority: 'low', name: 'jobvaultCheckAnswers' },
  );
}

interface RawAnswer {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

function assertFresh({ headers = {} }: RawAnswer = {}): void {
  const stale = staleBecause((name) => headers[name] ?? null, redactText);
  if (stale !== undefined) throw momentary('AnsweredByCache', `a cache answered (${stale})`);
}

/** A page of a proxy has a body, and a deletion has none. */
function assertDeleted(command: string, { statusCode, headers = {} }: RawAnswer): void {
  if (command !== 'DeleteObjectCommand' || statusCode === 204) return;
  if (headers['content-length'] === '0') return;
  throw momentary('InternalError', 'the response to DeleteObjectCommand is that of something else');
}

function assertAnswer(command: string, input: Fields, output: Fields): void {
  const proof = PROOF[command];
  if (proof !== undefined && output[proof] === undefined) {
    throw momentary('InternalError', `the response to ${command} has no ${proof}`);
  }
  assertGoesOn(command, input, output);
  assertCounted(command, output);
  if (command !== 'PutObjectCommand') return;
  const { ChecksumSHA256: sent } = input;
  const { ChecksumSHA256: stored } = output;
  if (sent !== undefined && stored !== undefined && sent !== stored) {
    throw momentary('BadDigest', 'the SHA-256 in the store differs from that of the upload');
  }
}

/** A list that is cut off and tells no new place to go on would lose its rest, or begin again for ever. */
function assertGoesOn(command: string, input: Fields, output: Fields): void {
  const marks = MARKS[command];
  if (marks === undefined || output['IsTruncated'] !== true) return;
  const isFurther = marks.some(
    ([given, next]) => output[next] !== undefined && output[next] !== input[given],
  );
  if (isFurther) return;
  throw momentary('InternalError', `the response to ${command} is cut off and tells no next page`);
}

/** An object that a list leaves out is not cleaned up, not erased, and not there for whoever counts. */
function assertCounted(command: string, output: Fields): void {
  const { KeyCount: said, Contents, CommonPrefixes } = output;
  if (command !== 'ListObjectsV2Command' || typeof said !== 'number') return;
  const lists = [Contents, CommonPrefixes].filter((list) => Array.isArray(list));
  const count = lists.reduce((sum, list) => sum + list.length, 0);
  if (count >= said) return;
  const text = `the response to ${command} says that it has ${said} objects, and has ${count}`;
  throw momentary('InternalError', text);
}

function momentary(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

/** Makes the SDK's client: proxies, timeouts, retries. */

const CONNECTION_TIMEOUT_MS = 10_000;
/** Until the response begins. */
export const REQUEST_TIMEOUT_MS = 300_000;
/** For an idle connection. */
const SOCKET_TIMEOUT_MS = 60_000;
const MAX_SOCKETS = 64;

/** Credentials come from the standard chain: environment, profile, web identity, container, instance. */
function createS3Client(options: S3Options, onTrouble?: OnTrouble): S3Client {
  // otherwise every command would print a warning on Node 20; users cannot choose the SDK's version
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const { endpoint, region, forcePathStyle = false, checksum = 'sha256' } = options;
  const whenSupported = checksum === 'none' ? 'WHEN_REQUIRED' : 'WHEN_SUPPORTED';
  const config: S3ClientConfig = {
    forcePathStyle,
    requestHandler: createHandler(),
    retryStrategy: jitteredRetries(systemRandom, systemClock, onTrouble, options.maxAttempts),
    requestChecksumCalculation: whenSupported,
    responseChecksumValidation: whenSupported,
    followRegionRedirects: false,
    // caches the middleware for each kind of request, which saves a sixteenth of a request's CPU
    cacheMiddleware: true,
  };
  if (endpoint !== undefined) config.endpoint = endpoint;
  if (region !== undefined) config.region = region;
  else if (endpoint !== undefined && !process.env['AWS_REGION']) config.region = 'us-east-1';
  return new S3Client(config);
}

function createHandler(): NodeHttpHandler {
  const { httpAgent, httpsAgent } = agents();
  return new NodeHttpHandler({
    httpAgent,
    httpsAgent: httpsAgent as unknown as HttpsAgent,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
    socketTimeout: SOCKET_TIMEOUT_MS,
  });
}

/**
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` have the same meaning as for the service; Node itself reads
 * `NODE_EXTRA_CA_CERTS`. Without a proxy, Node's own agents are used: they are quicker.
 */
function agents(): { readonly httpAgent: HttpAgent; readonly httpsAgent: HttpAgent } {
  const settings = proxyFromEnvironment(process.env);
  const maxSockets = MAX_SOCKETS;
  if (!settings.httpProxy && !settings.httpsProxy) {
    const kept = { keepAlive: true, maxSockets };
    return { httpAgent: new HttpAgent(kept), httpsAgent: new HttpsAgent(kept) };
  }
  const agent = new ProxyAgent({ settings: () => settings, maxSockets });
  return { httpAgent: agent, httpsAgent: agent };
}
