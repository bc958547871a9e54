/** A bucket and the archive's prefix in it: keys, options of new objects, and failures as one sentence. */
import { shownAddress } from '../../base/text/address.js';
import type { S3Client } from '@aws-sdk/client-s3';
import {
  GetBucketVersioningCommand,
  GetObjectLockConfigurationCommand,
  type ObjectCannedACL,
  type PutObjectCommandInput,
  type StorageClass,
} from '@aws-sdk/client-s3';
import { JobvaultError } from '../../base/error.js';
import { proxyFor, proxyFromEnvironment } from '../../base/http/proxy.js';
import { silentLogger, type Logger } from '../../base/logger.js';
import { type KeptVersions } from '../storage.js';
import { assertObjectPath } from '../object-path.js';
import { nameOf, s3Failure, s3Trouble, type S3Action } from './s3-failure.js';
import { tagHeader, type S3Options } from './s3-options.js';
import { parseS3Location } from './s3-location.js';
import { StorageError } from '../storage-errors.js';
import { createS3Client } from './s3-client.js';
import { checkAnswers } from './check-answers.js';

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

/** A host of it, for the rules of NO_PROXY. */
const AWS = 'https://s3.amazonaws.com';

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
      logger.info(fields, `${location}${at}: ${s3Trouble(error, this.#proxy())}; trying again`);
    });
    askPastCaches(this.client);
    checkAnswers(this.client);
  }

  /** Whether nothing names another store. */
  get asksAws(): boolean {
    return this.#endpoints.length === 0;
  }

  /** What names the address of a store; the first counts. */
  get #endpoints(): readonly string[] {
    const { AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_S3: ofS3 } = process.env;
    return [this.options.endpoint, ofS3, all].flatMap((endpoint) => endpoint || []);
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
    if (thrown instanceof JobvaultError) return thrown;
    const { location, asksAws } = this;
    const sendsChecksums = this.options.checksum !== 'none';
    const proxy = this.#proxy();
    return s3Failure(action, subject, { location, asksAws, proxy, sendsChecksums }, thrown);
  }

  /** `host:port` of the proxy before the store, if there is one. */
  #proxy(): string | undefined {
    const address = this.#endpoints.find((endpoint) => URL.canParse(endpoint)) ?? AWS;
    return proxyFor(new URL(address), proxyFromEnvironment(process.env))?.host;
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
      // with a put it would become a property of the object
      if (method === 'GET' || method === 'HEAD') {
        headers['cache-control'] = 'no-cache, no-store';
        headers['pragma'] = 'no-cache';
      }
      return next(args);
    },
    { step: 'build', name: 'jobvaultAskPastCaches' },
  );
}
