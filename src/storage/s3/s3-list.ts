/** Lists objects page by page, in the order of their keys; at most one page in memory. */
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { S3Bucket } from './s3-bucket.js';
import { statusOf } from './s3-failure.js';
import type { ObjectInfo } from '../storage.js';

/**
 * @param after if given, only objects whose paths come after it
 * @throws {StorageError}
 */
export async function* listS3Objects(
  bucket: S3Bucket,
  prefix: string,
  after?: string,
): AsyncGenerator<ObjectInfo> {
  const subject = prefix === '' ? 'the objects' : prefix;
  let token: string | undefined;
  do {
    const request = new ListObjectsV2Command({
      Bucket: bucket.name,
      Prefix: bucket.prefix + prefix,
      StartAfter: after === undefined ? undefined : bucket.prefix + after,
      ContinuationToken: token,
    });
    const page = await bucket.ask('list', subject, () => bucket.client.send(request));
    for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
      const path = Key.slice(bucket.prefix.length);
      // S3 consoles make such objects to show an empty folder
      if (path === '' || path.endsWith('/')) continue;
      yield { path, bytes: Size, modifiedAtMs: wholeSeconds(LastModified) };
    }
    token = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}

/** Removes milliseconds: lists have them, headers do not, and an object must have one time. */
export function wholeSeconds(date: Date | undefined): number {
  return Math.floor((date?.getTime() ?? 0) / 1000) * 1000;
}

export function isNotThere(thrown: unknown): boolean {
  return statusOf(thrown) === 404;
}
