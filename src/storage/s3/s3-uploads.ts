/** Unfinished multipart uploads of a bucket: lists and aborts them, also those of dead writers. The store keeps, and bills, their parts. */
import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
} from '@aws-sdk/client-s3';
import type { S3Bucket } from './s3-bucket.js';
import { isNotThere } from './s3-objects.js';
import { codeOf } from '../../base/error.js';
import { parseJson } from '../../base/text/parse-json.js';
import type { Processes } from '../../base/process-identity.js';
import type { SpoolDirectory } from './s3-body.js';
import { stagingOwnerOf } from '../local/staging-directory.js';
import type { SweepChoice } from '../storage.js';

/** Longer than any checkpoint takes. */
const FORGOTTEN_MS = 24 * 3_600_000;
/** In a bucket without a prefix, other programs may be uploading too. */
const OURS = /^(?:tables|workbooks|artifacts|data|_[a-z]+)\//;

/** Aborts the unfinished uploads of dead writers. @returns how many. @throws {StorageError} */
export async function sweepUploads(
  bucket: S3Bucket,
  journal: UploadJournal,
  { isShared = false }: SweepChoice = {},
): Promise<number> {
  let aborted = 0;
  for await (const { path, id, forget } of journal.abandoned()) {
    await abortUpload(bucket, path, id);
    await forget();
    aborted++;
  }
  // of what this machine has no note of, nothing but the path tells whose it is
  if (isShared) return aborted;
  for await (const { path, id, begunAtMs } of unfinishedUploads(bucket, '')) {
    if (begunAtMs >= (bucket.presentMs ?? 0) - FORGOTTEN_MS || !OURS.test(path)) continue;
    await abortUpload(bucket, path, id);
    aborted++;
  }
  return aborted;
}

/** Counts the unfinished uploads that a sweep leaves because they were begun less than a day ago. @throws {StorageError} */
export async function countUnfinished(bucket: S3Bucket): Promise<number> {
  let count = 0;
  for await (const { path } of unfinishedUploads(bucket, '')) if (OURS.test(path)) count++;
  return count;
}

export interface BegunUpload {
  readonly path: string;
  readonly id: string;
  /** By the store's clock. */
  readonly begunAtMs: number;
}

/** Those whose path begins with `prefix`. @throws {StorageError} */
export async function* unfinishedUploads(
  bucket: S3Bucket,
  prefix: string,
): AsyncGenerator<BegunUpload> {
  let markers: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined;
  do {
    const request = new ListMultipartUploadsCommand({
      Bucket: bucket.name,
      Prefix: bucket.prefix + prefix,
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

/** A missing upload is no error. @throws {StorageError} */
export async function abortUpload(bucket: S3Bucket, path: string, id: string): Promise<void> {
  const request = new AbortMultipartUploadCommand({ ...bucket.objectAt(path), UploadId: id });
  try {
    await bucket.client.send(request);
  } catch (error) {
    if (!isNotThere(error))
      throw bucket.failure('delete', `an unfinished upload of ${path}`, error);
  }
}

/**
 * Aborts the uploads that a creation has left which was sent more than once: of an answer that was lost, nobody knows the
 * id. They are at the same path, were begun right before `own`, and never get a part. If there are more of them than
 * answers that were lost, another run may have begun one: they stay for `sweepUploads`. Call it while `own` is unfinished
 * and has its parts.
 *
 * @throws {StorageError}
 */
export async function abortUnanswered(
  bucket: S3Bucket,
  own: { readonly path: string; readonly id: string; readonly createdInMs: number },
  lostAnswers: number,
): Promise<void> {
  const uploads: BegunUpload[] = [];
  for await (const upload of unfinishedUploads(bucket, own.path)) {
    if (upload.path === own.path) uploads.push(upload);
  }
  const endMs = uploads.find(({ id }) => id === own.id)?.begunAtMs ?? -Infinity;
  const startMs = endMs - own.createdInMs - CLOCK_STEP_MS;
  const stray = uploads.filter(
    ({ id, begunAtMs }) => id !== own.id && begunAtMs >= startMs && begunAtMs <= endMs,
  );
  const empty = [];
  for (const upload of stray) if (await hasNoPart(bucket, upload)) empty.push(upload);
  if (empty.length > lostAnswers) return;
  for (const { path, id } of empty) await abortUpload(bucket, path, id);
}

/** Stores tell whole seconds. */
const CLOCK_STEP_MS = 1000;

async function hasNoPart(bucket: S3Bucket, { path, id }: BegunUpload): Promise<boolean> {
  const request = new ListPartsCommand({ ...bucket.objectAt(path), UploadId: id, MaxParts: 1 });
  try {
    const { Parts = [] } = await bucket.client.send(request);
    return Parts.length === 0;
  } catch (error) {
    if (isNotThere(error)) return false;
    throw bucket.failure('list', `the parts of an unfinished upload of ${path}`, error);
  }
}

/**
 * Notes on this machine of unfinished uploads and their processes; S3 knows only their age. With a note, the next
 * run on this machine aborts the uploads of a killed run at once; other machines wait for a day.
 */

/** The note's file; undefined if it could not be written. */
export interface UploadNote {
  readonly file: string | undefined;
}

interface UnfinishedUpload {
  readonly path: string;
  readonly id: string;
}

export interface AbandonedUpload extends UnfinishedUpload {
  /** Removes the note. */
  readonly forget: () => Promise<void>;
}

const SUFFIX = '.upload';

export class UploadJournal {
  readonly #spool: SpoolDirectory;
  readonly #processes: Processes;
  /** The target of the uploads: store, bucket and prefix. */
  readonly #place: string;

  constructor(spool: SpoolDirectory, processes: Processes, place: string) {
    this.#spool = spool;
    this.#processes = processes;
    this.#place = place;
  }

  /** Failure is ignored: without a note, the age of the upload decides. */
  async note(path: string, id: string): Promise<UploadNote> {
    try {
      const { file, handle } = await this.#spool.create(SUFFIX);
      try {
        await handle.writeFile(JSON.stringify({ place: this.#place, path, id }));
      } finally {
        await handle.close();
      }
      return { file: file.slice(this.#spool.directory.length + 1) };
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return { file: undefined };
    }
  }

  async strike({ file }: UploadNote): Promise<void> {
    if (file !== undefined) await this.#spool.remove(file);
  }

  /** Uploads to our target whose process is known to be dead. */
  async *abandoned(): AsyncGenerator<AbandonedUpload> {
    for await (const { name, text } of this.#spool.notes(SUFFIX)) {
      const owner = stagingOwnerOf(name.slice(0, -SUFFIX.length), this.#processes);
      if (owner.life !== 'dead') continue;
      const upload = uploadOf(text);
      if (upload?.place !== this.#place) continue;
      yield { ...upload, forget: () => this.#spool.remove(name) };
    }
  }
}

function uploadOf(text: string): (UnfinishedUpload & { readonly place: string }) | undefined {
  try {
    const { place, path, id } = parseJson(text) as Record<string, unknown>;
    if (typeof place !== 'string' || typeof path !== 'string' || typeof id !== 'string') {
      return undefined;
    }
    return { place, path, id };
  } catch {
    return undefined; // the process was killed while it wrote the note
  }
}
