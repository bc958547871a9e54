/**
 * Puts an object in one request, with its checksum. The store checks the condition; a lost response is distinguished from
 * a lost race.
 */
import {
  HeadObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
} from '@aws-sdk/client-s3';
import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { sha256Hex } from '../../base/digest.js';
import { formatByteSize } from '../../base/byte-size.js';
import { ObjectNotFoundError, StorageError } from '../storage-errors.js';
import type { ContentDigest } from '../storage.js';
import { type S3Bucket } from './s3-bucket.js';
import { REQUEST_TIMEOUT_MS } from './s3-client.js';
import { statusOf } from './s3-failure.js';
import { isNotThere, readS3Object } from './s3-objects.js';

/** The largest object of one request. Source: Amazon S3, "Uploading objects". */
export const MAX_PUT_BYTES = 5 * 2 ** 30;

/** A slower line than this one (1 Mbit/s) cannot upload. */
const LEAST_BYTES_PER_MS = 125;

/** The bytes of an object, whole in memory, or read from their beginning with each call. */
export interface PutBody extends ContentDigest {
  readonly content: Uint8Array | (() => AsyncIterable<Uint8Array>);
}

/** `ifMatch`: the ETag of the object that is replaced; `absent`: there must be no object. */
type PutCondition = { readonly ifMatch: string } | 'absent';

/** Metadata of a conditional put, which identifies the writer of an existing object. */
const PUT_ID = 'jobvault-put';

export function bodyOf(bytes: Uint8Array): PutBody {
  return { bytes: bytes.byteLength, sha256: sha256Hex(bytes), content: bytes };
}

/** @throws {StorageError} */
export async function putS3Object(bucket: S3Bucket, path: string, body: PutBody): Promise<void> {
  try {
    await send(bucket, path, body);
  } catch (error) {
    throw bucket.failure('write', path, error);
  }
}

/**
 * Returns whether the object was put: false if the condition did not hold.
 *
 * @throws {StorageError}
 */
export async function putS3ObjectIf(
  bucket: S3Bucket,
  path: string,
  body: PutBody,
  condition: PutCondition,
): Promise<boolean> {
  const id = randomUUID();
  const answer = await sendIf(bucket, path, body, { condition, id });
  return answer === 'put' || (answer === 'refused' && (await isOurs(bucket, path, { id, body })));
}

/** Whether the store refuses to put an object where there is one. @param body that of the object that is there */
export async function honoursAbsence(
  bucket: S3Bucket,
  path: string,
  body: PutBody,
): Promise<boolean> {
  const sent = { condition: 'absent', id: randomUUID() } as const;
  return (await sendIf(bucket, path, body, sent)) === 'refused';
}

/** `refused`: the condition did not hold, or an earlier attempt has put the object. `gone`: there is none to replace. */
async function sendIf(
  bucket: S3Bucket,
  path: string,
  body: PutBody,
  { condition, id }: { readonly condition: PutCondition; readonly id: string },
): Promise<'put' | 'refused' | 'gone'> {
  try {
    await send(bucket, path, body, {
      Metadata: { [PUT_ID]: id },
      ...(condition === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: condition.ifMatch }),
    });
    return 'put';
  } catch (error) {
    if (statusOf(error) === 412) return 'refused';
    if (condition !== 'absent' && isNotThere(error)) return 'gone';
    throw bucket.failure('write', path, error);
  }
}

async function send(
  bucket: S3Bucket,
  path: string,
  body: PutBody,
  condition: Pick<PutObjectCommandInput, 'Metadata' | 'IfNoneMatch' | 'IfMatch'> = {},
): Promise<void> {
  const { bytes, content } = body;
  assertFits(bucket, path, bytes);
  await bucket.assertLockable();
  const input = {
    ...bucket.newObject(path),
    ...(await checksumOf(body, bucket.options.checksum)),
    ...condition,
    ContentLength: bytes,
  };
  if (content instanceof Uint8Array) {
    await bucket.client.send(new PutObjectCommand({ ...input, Body: content }));
  } else {
    await sendStream(bucket, input, body, content);
  }
}

function assertFits({ location }: S3Bucket, path: string, bytes: number): void {
  if (bytes <= MAX_PUT_BYTES) return;
  const [size, most] = [formatByteSize(bytes), formatByteSize(MAX_PUT_BYTES)];
  throw new StorageError(
    `cannot write ${path} in ${location}: it has ${size}, and a bucket takes at most ${most} (5 GiB) in one object`,
    { trouble: 'size' },
  );
}

/** What the store compares the bytes with. Of bytes in memory the SDK makes the CRC-32 itself. */
async function checksumOf(
  { sha256, content }: PutBody,
  checksum: 'sha256' | 'crc32' | 'none' = 'sha256',
): Promise<Pick<PutObjectCommandInput, 'ChecksumAlgorithm' | 'ChecksumSHA256' | 'ChecksumCRC32'>> {
  if (checksum === 'none') return {};
  if (checksum === 'sha256') {
    const ChecksumSHA256 = Buffer.from(sha256, 'hex').toString('base64');
    return { ChecksumAlgorithm: 'SHA256', ChecksumSHA256 };
  }
  if (content instanceof Uint8Array) return { ChecksumAlgorithm: 'CRC32' };
  let value = 0;
  for await (const chunk of content()) value = crc32(chunk, value);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return { ChecksumAlgorithm: 'CRC32', ChecksumCRC32: bytes.toString('base64') };
}

/**
 * Opens the stream anew for each attempt: the SDK repeats no request whose body is a stream that has begun. It is within
 * the client's own retries, and signed with the hash that is known.
 */
async function sendStream(
  { client }: S3Bucket,
  input: PutObjectCommandInput,
  { bytes, sha256 }: ContentDigest,
  read: () => AsyncIterable<Uint8Array>,
): Promise<void> {
  const broken = new AbortController();
  const request = new PutObjectCommand({ ...input, Body: NOT_OPEN as Readable });
  const { middlewareStack } = request;
  middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { readonly headers: Record<string, string> };
      headers['x-amz-content-sha256'] = sha256;
      return next(args);
    },
    { step: 'build', name: 'jobvaultKnownHash' },
  );
  middlewareStack.add(
    (next) => async (args) => {
      // without a listener, a file that cannot be read would end the process
      const body = Readable.from(read()).on('error', (error) => broken.abort(error));
      try {
        return await next({ ...args, request: { ...(args.request as object), body } });
      } finally {
        body.destroy();
      }
    },
    { step: 'finalizeRequest', priority: 'low', name: 'jobvaultOpenBody' },
  );
  // as long as bytes move, it may take as long as a slow line needs; a connection without a move ends much earlier
  const requestTimeout = REQUEST_TIMEOUT_MS + bytes / LEAST_BYTES_PER_MS;
  try {
    await client.send(request, { abortSignal: broken.signal, requestTimeout });
  } catch (error) {
    throw broken.signal.aborted ? broken.signal.reason : error;
  }
}

/** Stands for a body that is opened with each attempt. */
const NOT_OPEN: unknown = {};

/**
 * Whether the existing object is our own: an earlier attempt may have succeeded with its response lost. That attempt
 * may be a proxy's, so having sent the request once proves nothing.
 */
async function isOurs(
  bucket: S3Bucket,
  path: string,
  { id, body }: { readonly id: string; readonly body: PutBody },
): Promise<boolean> {
  try {
    const request = new HeadObjectCommand(bucket.objectAt(path));
    const { Metadata, ContentLength } = await bucket.client.send(request);
    const writer = Metadata?.[PUT_ID];
    if (writer !== undefined || ContentLength !== body.bytes) return writer === id;
    // a gateway has dropped the metadata; bytes that are put under a condition have a random part
    const there = createHash('sha256');
    for await (const chunk of readS3Object(bucket, path)) there.update(chunk);
    return there.digest('hex') === body.sha256;
  } catch (error) {
    if (error instanceof ObjectNotFoundError || isNotThere(error)) return false;
    throw bucket.failure('write', path, error);
  }
}
