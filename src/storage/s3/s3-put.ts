/** Puts a small object in one request. The store checks the condition; a lost response is distinguished from a lost race. */
import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { randomUUID } from 'node:crypto';
import { ObjectNotFoundError } from '../storage-errors.js';
import type { S3Bucket } from './s3-bucket.js';
import { statusOf } from './s3-failure.js';
import { isNotThere, readS3Object } from './s3-read.js';

/** `ifMatch`: the ETag of the object that is replaced; `absent`: there must be no object. */
export type PutCondition = { readonly ifMatch: string } | 'absent';

/** Metadata of a conditional put, which identifies the writer of an existing object. */
const PUT_ID = 'jobvault-put';

/** @throws {StorageError} */
export async function putS3Object(
  bucket: S3Bucket,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  await bucket.assertLockable();
  const request = new PutObjectCommand({
    ...bucket.newObject(path),
    ...bucket.checksumOf(bytes),
    Body: bytes,
    ContentLength: bytes.byteLength,
  });
  await bucket.ask('write', path, () => bucket.client.send(request));
}

/**
 * Returns whether the object was put: false if the condition did not hold.
 *
 * @throws {StorageError}
 */
export async function putS3ObjectIf(
  bucket: S3Bucket,
  path: string,
  bytes: Uint8Array,
  condition: PutCondition,
): Promise<boolean> {
  const id = randomUUID();
  const answer = await sendIf(bucket, path, bytes, { condition, id });
  return answer === 'put' || (answer === 'refused' && (await isOurs(bucket, path, { id, bytes })));
}

/** Whether the store refuses to put an object where there is one. @param bytes those of the object that is there */
export async function honoursAbsence(
  bucket: S3Bucket,
  path: string,
  bytes: Uint8Array,
): Promise<boolean> {
  const sent = { condition: 'absent', id: randomUUID() } as const;
  return (await sendIf(bucket, path, bytes, sent)) === 'refused';
}

/** `refused`: the condition did not hold, or an earlier attempt has put the object. `gone`: there is none to replace. */
async function sendIf(
  bucket: S3Bucket,
  path: string,
  bytes: Uint8Array,
  { condition, id }: { readonly condition: PutCondition; readonly id: string },
): Promise<'put' | 'refused' | 'gone'> {
  await bucket.assertLockable();
  const request = new PutObjectCommand({
    ...bucket.newObject(path),
    ...bucket.checksumOf(bytes),
    Body: bytes,
    ContentLength: bytes.byteLength,
    Metadata: { [PUT_ID]: id },
    ...(condition === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: condition.ifMatch }),
  });
  try {
    await bucket.client.send(request);
    return 'put';
  } catch (error) {
    if (statusOf(error) === 412) return 'refused';
    if (condition !== 'absent' && isNotThere(error)) return 'gone';
    throw bucket.failure('write', path, error);
  }
}

/**
 * Whether the existing object is our own: an earlier attempt may have succeeded with its response lost. That attempt
 * may be a proxy's, so having sent the request once proves nothing.
 */
async function isOurs(
  bucket: S3Bucket,
  path: string,
  { id, bytes }: { readonly id: string; readonly bytes: Uint8Array },
): Promise<boolean> {
  try {
    const request = new HeadObjectCommand(bucket.objectAt(path));
    const { Metadata, ContentLength } = await bucket.client.send(request);
    const writer = Metadata?.[PUT_ID];
    if (writer !== undefined || ContentLength !== bytes.byteLength) return writer === id;
    // a gateway has dropped the metadata; bytes that are put under a condition have a random part
    const there: Uint8Array[] = [];
    for await (const chunk of readS3Object(bucket, path)) there.push(chunk);
    return Buffer.compare(Buffer.concat(there), bytes) === 0;
  } catch (error) {
    if (error instanceof ObjectNotFoundError || isNotThere(error)) return false;
    throw bucket.failure('write', path, error);
  }
}
