/** Puts a small object in one request. The store checks the condition; a lost response is distinguished from a lost race. */
import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { randomUUID } from 'node:crypto';
import type { S3Bucket } from './s3-bucket.js';
import { statusOf } from './s3-failure.js';
import { isNotThere } from './s3-list.js';

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
  await bucket.assertLockable();
  const id = randomUUID();
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
    return true;
  } catch (error) {
    if (statusOf(error) === 412) return wasFirst(error) ? false : isOurs(bucket, path, id);
    // the object to replace is gone
    if (condition !== 'absent' && isNotThere(error)) return false;
    throw bucket.failure('write', path, error);
  }
}

/** An earlier attempt may have succeeded with its response lost: then the existing object is our own. */
function wasFirst(error: unknown): boolean {
  const { attempts = 1 } = (error as { $metadata?: { attempts?: number } }).$metadata ?? {};
  return attempts === 1;
}

async function isOurs(bucket: S3Bucket, path: string, id: string): Promise<boolean> {
  try {
    const { Metadata } = await bucket.client.send(new HeadObjectCommand(bucket.objectAt(path)));
    return Metadata?.[PUT_ID] === id;
  } catch (error) {
    if (isNotThere(error)) return false;
    throw bucket.failure('write', path, error);
  }
}
