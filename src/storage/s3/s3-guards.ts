/** Reads from a bucket how long an object is retained, and whether a delete marker hides it. */
import {
  GetBucketVersioningCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
} from '@aws-sdk/client-s3';
import type { Guards, ObjectRetention } from '../guards.js';
import type { S3Bucket } from './s3-bucket.js';
import { nameOf } from './s3-failure.js';
import { isNotThere } from './s3-list.js';

export class S3Guards implements Guards {
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

  async *hidden(prefix: string): AsyncGenerator<string> {
    const bucket = this.#bucket;
    if (!(await this.#hasVersions())) return;
    let markers: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } = {};
    for (;;) {
      const request = new ListObjectVersionsCommand({
        Bucket: bucket.name,
        Prefix: bucket.prefix + prefix,
        ...markers,
      });
      const page = await bucket.ask('list', `the versions of ${prefix}`, () =>
        bucket.client.send(request),
      );
      for (const { Key = '', IsLatest } of page.DeleteMarkers ?? []) {
        if (IsLatest) yield Key.slice(bucket.prefix.length);
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
