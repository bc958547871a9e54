/**
 * Storage in a bucket of S3 or an S3-compatible store. Objects appear whole or not at all; the store checks their
 * SHA-256 and the conditions of writes.
 */
import {
  DeleteObjectCommand,
  HeadObjectCommand,
  GetBucketVersioningCommand,
  ListObjectVersionsCommand,
} from '@aws-sdk/client-s3';
import type { Logger } from '../../base/logger.js';
import type {
  Guards,
  HiddenObject,
  ObjectRetention,
  KeptVersions,
  ByteRange,
  ListOptions,
  ObjectInfo,
  StagedObject,
  Storage,
} from '../storage.js';
import { ObjectNotFoundError, ReplacedWhileReadError, StorageError } from '../storage-errors.js';
import { systemProcesses, type Processes } from '../../base/process-identity.js';
import { S3Bucket } from './s3-bucket.js';
import {
  isNotThere,
  listS3Objects,
  wholeSeconds,
  readS3Object,
  type ReadVersion,
} from './s3-objects.js';
import {
  bodyOf,
  honoursAbsence,
  MAX_PUT_BYTES,
  type PutBody,
  putS3Object,
  putS3ObjectIf,
} from './s3-put.js';
import type { S3Options } from './s3-options.js';
import { SpoolDirectory } from './spool-directory.js';
import { SpooledBody } from './spooled-body.js';
import { HashedStagedObject, MemoryBudget } from '../staged-object.js';
import { nameOf } from './s3-failure.js';

export interface S3StorageOptions extends S3Options {
  /** `s3://bucket/prefix` */
  readonly location: string;
  /** Hears of requests that have failed for seconds and are tried again. */
  readonly logger?: Logger | undefined;
  /** Default: those of this machine. */
  readonly processes?: Processes | undefined;
  /** The directory where large objects wait on this machine; default: its temporary directory. */
  readonly temporary?: string | undefined;
}

/** Attempts to read an object that is replaced during the read. */
const MAX_READS = 10;

/** @throws {UsageError} */
export function createS3Storage(options: S3StorageOptions): S3Storage {
  const { location, processes = systemProcesses, temporary, logger } = options;
  const bucket = new S3Bucket(location, options, logger);
  return new S3Storage(bucket, new SpoolDirectory(processes, temporary));
}

export class S3Storage implements Storage {
  readonly location: string;
  readonly guards: Guards;
  readonly maxObjectBytes = MAX_PUT_BYTES;
  readonly #room = new MemoryBudget();
  /** Objects that are neither published nor discarded; `close` discards them. */
  readonly #unfinished = new Set<HashedStagedObject>();
  #isConditional = false;
  readonly #bucket: S3Bucket;
  readonly #spool: SpoolDirectory;

  constructor(bucket: S3Bucket, spool: SpoolDirectory) {
    this.#bucket = bucket;
    this.#spool = spool;
    this.location = bucket.location;
    this.guards = new S3Guards(bucket);
  }

  async stage(): Promise<StagedObject> {
    const bucket = this.#bucket;
    await bucket.assertLockable();
    const body = new SpooledBody({
      spool: this.#spool,
      room: this.#room,
      put: (path, bytes) => putS3Object(bucket, path, bytes),
    });
    const staged = new HashedStagedObject(body, (object) => this.#unfinished.delete(object));
    this.#unfinished.add(staged);
    return staged;
  }

  async put(path: string, bytes: Uint8Array): Promise<void> {
    await putS3Object(this.#bucket, path, bodyOf(bytes));
  }

  async putIfAbsent(path: string, bytes: Uint8Array): Promise<boolean> {
    const body = bodyOf(bytes);
    if (this.#isConditional) return putS3ObjectIf(this.#bucket, path, body, 'absent');
    const isNew = (await this.stat(path)) === undefined;
    const won = await putS3ObjectIf(this.#bucket, path, body, 'absent');
    if (won) await this.#assertConditional(path, body, isNew);
    this.#isConditional = true;
    return won;
  }

  async get(path: string): Promise<Uint8Array> {
    return (await this.#getVersion(path)).bytes;
  }

  async *read(path: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    if (range && range.end <= range.start) {
      // S3 has no empty range
      if (!(await this.stat(path))) throw new ObjectNotFoundError(path);
      return;
    }
    yield* readS3Object(this.#bucket, path, range);
  }

  async stat(path: string): Promise<ObjectInfo | undefined> {
    const bucket = this.#bucket;
    const request = new HeadObjectCommand(bucket.objectAt(path));
    try {
      const { ContentLength: bytes = 0, LastModified } = await bucket.client.send(request);
      return { path, bytes, modifiedAtMs: wholeSeconds(LastModified) };
    } catch (error) {
      if (isNotThere(error)) return undefined;
      throw bucket.failure('look at', path, error);
    }
  }

  list(prefix: string, { after }: ListOptions = {}): AsyncIterable<ObjectInfo> {
    return listS3Objects(this.#bucket, prefix, after);
  }

  async compareAndSwap(path: string, seen: Uint8Array, bytes: Uint8Array): Promise<boolean> {
    try {
      const { bytes: there, etag } = await this.#getVersion(path);
      if (Buffer.compare(there, seen) !== 0) return false;
      return await putS3ObjectIf(this.#bucket, path, bodyOf(bytes), { ifMatch: etag });
    } catch (error) {
      if (error instanceof ObjectNotFoundError) return false;
      throw error;
    }
  }

  async delete(path: string): Promise<void> {
    const bucket = this.#bucket;
    const request = new DeleteObjectCommand(bucket.objectAt(path));
    await bucket.ask('delete', path, () => bucket.client.send(request));
  }

  async keepsDeleted(): Promise<KeptVersions | undefined> {
    return this.#bucket.keptVersions();
  }

  async stagedElsewhere(): Promise<number> {
    return this.#spool.countElsewhere();
  }

  async sweep(): Promise<number> {
    return this.#spool.sweep();
  }

  async close(): Promise<void> {
    for (const staged of this.#unfinished) await staged.discard();
    this.#bucket.client.destroy();
  }

  async #getVersion(path: string): Promise<{ bytes: Uint8Array; etag: string }> {
    for (let read = 1; ; read++) {
      const version: ReadVersion = { etag: undefined };
      const chunks: Uint8Array[] = [];
      try {
        for await (const chunk of readS3Object(this.#bucket, path, undefined, version)) {
          chunks.push(chunk);
        }
        return { bytes: Buffer.concat(chunks), etag: version.etag ?? '' };
      } catch (error) {
        if (!(error instanceof ReplacedWhileReadError) || read === MAX_READS) throw error;
      }
    }
  }

  /**
   * The log depends on this condition, and some stores accept it and ignore it. So the first conditional put
   * that succeeds is sent again: the second one must fail. If it does not, nothing is left of the first one.
   */
  async #assertConditional(path: string, body: PutBody, isNew: boolean): Promise<void> {
    if (await honoursAbsence(this.#bucket, path, body)) return;
    if (isNew) await this.delete(path);
    throw new StorageError(
      `cannot write ${path} in ${this.location}: the store ignores If-None-Match, so two runs could overwrite each other's commits`,
      { trouble: 'conditions' },
    );
  }
}

/** Reads from a bucket how long an object is retained, and whether a delete marker hides it. */
class S3Guards implements Guards {
  readonly #bucket: S3Bucket;

  constructor(bucket: S3Bucket) {
    this.#bucket = bucket;
  }

  async canRetain(): Promise<boolean> {
    return (await this.#bucket.hasObjectLock()) === true;
  }

  async retentionOf(path: string): Promise<ObjectRetention | undefined> {
    const bucket = this.#bucket;
    try {
      const head = await bucket.client.send(new HeadObjectCommand(bucket.objectAt(path)));
      const { ObjectLockMode: mode, ObjectLockRetainUntilDate: until } = head;
      return mode && until ? { mode, untilMs: until.getTime() } : undefined;
    } catch (error) {
      if (isNotThere(error)) return undefined; // verify reports missing objects itself
      throw bucket.failure('look at', path, error);
    }
  }

  async *hidden(prefix: string, after?: string): AsyncGenerator<HiddenObject> {
    const bucket = this.#bucket;
    if (!(await this.#hasVersions())) return;
    let markers: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } =
      after === undefined ? {} : { KeyMarker: bucket.keyOf(after) };
    for (;;) {
      const request = new ListObjectVersionsCommand({
        Bucket: bucket.name,
        Prefix: bucket.prefix + prefix,
        ...markers,
      });
      const page = await bucket.ask('list', `the versions of ${prefix}`, () =>
        bucket.client.send(request),
      );
      for (const { Key = '', IsLatest, LastModified } of page.DeleteMarkers ?? []) {
        const path = Key.slice(bucket.prefix.length);
        if (IsLatest) yield { path, sinceMs: wholeSeconds(LastModified) };
      }
      if (!page.IsTruncated) return;
      markers = { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker };
    }
  }

  /** Without versioning there are no delete markers. */
  async #hasVersions(): Promise<boolean> {
    const bucket = this.#bucket;
    const request = new GetBucketVersioningCommand({ Bucket: bucket.name });
    try {
      return (await bucket.client.send(request)).Status !== undefined;
    } catch (error) {
      if (WITHOUT_VERSIONS.has(nameOf(error))) return false;
      throw bucket.failure('look at', 'the versioning of the bucket', error);
    }
  }
}

/** Errors of stores without versions, and of keys without permission: then a hidden object counts as missing. */
const WITHOUT_VERSIONS = new Set(['NotImplemented', 'MethodNotAllowed', 'AccessDenied']);
