/** Lists objects page by page, in the order of their keys; no more than a page in memory. */
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import type { S3Bucket } from './s3-bucket.js';
import { statusOf } from './s3-failure.js';
import type { ObjectInfo } from '../storage.js';

/** @throws {StorageError} */
export async function* listS3Objects(bucket: S3Bucket, prefix: string): AsyncGenerator<ObjectInfo> {
  const subject = prefix === '' ? 'the objects' : prefix;
  let token: string | undefined;
  do {
    const request = new ListObjectsV2Command({
      Bucket: bucket.name,
      Prefix: bucket.prefix + prefix,
      ContinuationToken: token,
    });
    const page = await bucket.ask('list', subject, () => bucket.client.send(request));
    for (const { Key = '', Size = 0, LastModified } of page.Contents ?? []) {
      const path = Key.slice(bucket.prefix.length);
      // what consoles make to show an empty folder
      if (path === '' || path.endsWith('/')) continue;
      yield { path, bytes: Size, modifiedAtMs: wholeSeconds(LastModified) };
    }
    token = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}

/** In lists the time has milliseconds, in the header of an answer it has none: the same object, the same time. */
export function wholeSeconds(date: Date | undefined): number {
  return Math.floor((date?.getTime() ?? 0) / 1000) * 1000;
}

export function isNotThere(thrown: unknown): boolean {
  return statusOf(thrown) === 404;
}
