/** Reads what is in a bucket: streams an object, or a range of it, and lists objects. */
import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { systemRandom } from '../../base/runtime.js';
import {
  DamagedObjectError,
  ObjectNotFoundError,
  ReplacedWhileReadError,
} from '../storage-errors.js';
import type { S3Bucket } from './s3-bucket.js';
import { nameOf, statusOf } from './s3-failure.js';
import { delayMs } from './s3-retries.js';
import type { ByteRange, ObjectInfo } from '../storage.js';

/** Consecutive bodies that ended without a byte. */
const MAX_BREAKS = 10;

interface Progress {
  position: number;
  /** Exclusive; unknown before the first response. */
  end: number | undefined;
  /** The ETag of the first response: later ones must be of the same object. */
  etag: string | undefined;
}

/** The version of the object, set with the first response. */
export interface ReadVersion {
  etag: string | undefined;
}

/**
 * @throws {ObjectNotFoundError} before the first chunk
 * @throws {ReplacedWhileReadError} it was replaced while reading was resumed
 * @throws {DamagedObjectError} the bytes do not match the store's checksum
 * @throws {StorageError}
 */
export async function* readS3Object(
  bucket: S3Bucket,
  path: string,
  range?: ByteRange,
  version: ReadVersion = { etag: undefined },
): AsyncGenerator<Uint8Array> {
  const progress: Progress = { position: range?.start ?? 0, end: undefined, etag: undefined };
  for (let breaks = 0; breaks <= MAX_BREAKS; breaks++) {
    const answer = await open(bucket, path, progress, range);
    if (!answer) return;
    version.etag = progress.etag ??= answer.ETag;
    progress.end ??= endOf(answer, progress.position, range);
    const before = progress.position;
    try {
      for await (const chunk of answer.Body as Readable as AsyncIterable<Uint8Array>) {
        progress.position += chunk.byteLength;
        yield chunk;
      }
      if (progress.position >= progress.end || progress.end === Infinity) return;
    } catch (error) {
      if (isMismatch(error)) throw new DamagedObjectError(path, bucket.location);
      if (breaks === MAX_BREAKS) throw bucket.failure('read', path, error);
    } finally {
      (answer.Body as Readable).destroy();
    }
    if (progress.position > before) breaks = 0;
    await wait(delayMs(breaks + 1, systemRandom));
  }
  throw bucket.failure('read', path, new Error('the body ended early several times in a row'));
}

/** Undefined if the range is after the end. */
async function open(
  bucket: S3Bucket,
  path: string,
  { position, end, etag }: Progress,
  range: ByteRange | undefined,
): Promise<GetObjectCommandOutput | undefined> {
  const last = range ? String(range.end - 1) : '';
  const isWhole = range === undefined && position === 0;
  try {
    const answer = await bucket.client.send(
      new GetObjectCommand({
        ...bucket.objectAt(path),
        Range: isWhole ? undefined : `bytes=${position}-${last}`,
        IfMatch: etag,
      }),
    );
    if (isWhole || answer.ContentRange?.startsWith(`bytes ${position}-`)) return answer;
    (answer.Body as Readable).destroy();
    throw new Error('the store sends another part of the object than it was asked for');
  } catch (error) {
    if (statusOf(error) === 416 && end === undefined) return undefined;
    if (nameOf(error) === 'NoSuchKey') throw new ObjectNotFoundError(path);
    if (statusOf(error) === 412) throw new ReplacedWhileReadError(path);
    throw bucket.failure('read', end === undefined ? path : `the rest of ${path}`, error);
  }
}

/** Where reading ends, exclusive: a range may be answered with its beginning only, and ends with the object. */
function endOf(
  { ContentRange, ContentLength }: GetObjectCommandOutput,
  position: number,
  range: ByteRange | undefined,
): number {
  const total = /\/(\d+)$/.exec(ContentRange ?? '')?.[1];
  if (range !== undefined && total !== undefined) return Math.min(range.end, Number(total));
  return position + (ContentLength ?? Infinity);
}

/** The SDK compares a whole body with the checksum in the response, at its end. */
function isMismatch(error: unknown): boolean {
  return error instanceof Error && /^Checksum mismatch/.test(error.message);
}

/**
 * Lists objects page by page, in the order of their keys; at most one page in memory.
 *
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
    // some say where they go on, and not that they do
    const { NextContinuationToken: next = '', IsTruncated: isCut = false } = page;
    token = isCut || next !== token ? next : '';
  } while (token !== '');
}

/** Removes milliseconds: lists have them, headers do not, and an object must have one time. */
export function wholeSeconds(date: Date | undefined): number {
  return Math.floor((date?.getTime() ?? 0) / 1000) * 1000;
}

export function isNotThere(thrown: unknown): boolean {
  return statusOf(thrown) === 404;
}
