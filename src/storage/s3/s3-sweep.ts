/** Aborts the unfinished uploads of dead writers. */
import type { S3Bucket } from './s3-bucket.js';
import type { UploadJournal } from './s3-upload-journal.js';
import { abortUpload, unfinishedUploads } from './s3-uploads.js';

/** Longer than any checkpoint takes. */
const FORGOTTEN_MS = 24 * 3_600_000;
/** In a bucket without a prefix, other programs may be uploading too. */
const OURS = /^(?:tables|workbooks|artifacts|data|_[a-z]+)\//;

/** @returns how many were aborted. @throws {StorageError} */
export async function sweepUploads(bucket: S3Bucket, journal: UploadJournal): Promise<number> {
  let aborted = 0;
  for await (const { path, id, forget } of journal.abandoned()) {
    await abortUpload(bucket, path, id);
    await forget();
    aborted++;
  }
  for await (const { path, id, begunAtMs } of unfinishedUploads(bucket, '')) {
    if (begunAtMs >= (bucket.presentMs ?? 0) - FORGOTTEN_MS || !OURS.test(path)) continue;
    await abortUpload(bucket, path, id);
    aborted++;
  }
  return aborted;
}
