/** Aborts the unfinished uploads of dead writers: the store keeps, and bills, their parts. */
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import type { S3Bucket } from './s3-bucket.js';
import { abortUpload } from './s3-multipart.js';
import type { UploadJournal } from './s3-upload-journal.js';

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
  for await (const { path, id, begunAtMs } of unfinishedUploads(bucket)) {
    if (begunAtMs >= (bucket.presentMs ?? 0) - FORGOTTEN_MS || !OURS.test(path)) continue;
    await abortUpload(bucket, path, id);
    aborted++;
  }
  return aborted;
}

interface Begun {
  readonly path: string;
  readonly id: string;
  /** Age by the store's clock. */
  readonly begunAtMs: number;
}

async function* unfinishedUploads(bucket: S3Bucket): AsyncGenerator<Begun> {
  let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined;
  do {
    const request = new ListMultipartUploadsCommand({
      Bucket: bucket.name,
      Prefix: bucket.prefix,
      ...markers,
    });
    const page = await bucket.ask('list', 'the unfinished uploads', () =>
      bucket.client.send(request),
    );
    for (const { Key = '', UploadId: id = '', Initiated } of page.Uploads ?? []) {
      const begunAtMs = Initiated?.getTime() ?? Infinity;
      yield { path: Key.slice(bucket.prefix.length), id, begunAtMs };
    }
    markers = page.IsTruncated
      ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
      : undefined;
  } while (markers);
}
