/**
 * A multipart upload, invisible to readers until it is completed. Sends parts while more is written, with a
 * few in memory. An object smaller than one part is put in a single request.
 *
 * lib-storage's `Upload` (3.1169) does not fit: it completes as soon as its source ends, returns from `abort`
 * before the upload is gone, and does not check the checksum of the whole object.
 */
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type CompleteMultipartUploadCommandOutput,
} from '@aws-sdk/client-s3';
import { createHash } from 'node:crypto';
import { systemClock } from '../../base/runtime.js';
import { PathTakenError } from '../storage-errors.js';
import type { PublishPlace } from '../storage.js';
import type { S3Bucket } from './s3-bucket.js';
import { nameOf, statusOf } from './s3-failure.js';
import { isNotThere, putS3Object, putS3ObjectIf } from './s3-objects.js';
import { type UploadJournal, type UploadNote, abortUnanswered, abortUpload } from './s3-uploads.js';

/** Parts that are sent at the same time, beside the one that is filled. */
const PARTS_IN_FLIGHT = 3;

interface Part {
  readonly number: number;
  readonly etag: string;
  /** The store's checksum is compared with ours, if the store keeps checksums. */
  readonly sha256: string | undefined;
}

interface BegunUpload {
  readonly id: string;
  readonly note: UploadNote;
  /** From the first request to the answer. */
  readonly createdInMs: number;
  /** Requests to create it that had no answer, or a bad one. */
  readonly lostAnswers: number;
}

type Finished = Pick<CompleteMultipartUploadCommandOutput, 'ETag' | 'ChecksumSHA256'>;

export class MultipartUpload {
  readonly #buffer: PartBuffer;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #parts: Part[] = [];
  #upload: BegunUpload | undefined;
  #begun = 0;
  #bytes = 0;
  #broken: { readonly error: unknown } | undefined;
  readonly #bucket: S3Bucket;
  readonly #journal: UploadJournal;
  readonly #path: string;

  constructor(
    bucket: S3Bucket,
    journal: UploadJournal,
    path: string,
    /** An estimate; decides the size of the parts. */
    expectedBytes: number,
  ) {
    this.#bucket = bucket;
    this.#journal = journal;
    this.#path = path;

    this.#buffer = new PartBuffer(expectedBytes);
  }

  /** Resolves when more may be written. The chunk is copied. @throws {StorageError} */
  async write(chunk: Uint8Array): Promise<void> {
    this.#bytes += chunk.byteLength;
    let rest = chunk;
    while (rest.byteLength > 0) {
      rest = this.#buffer.take(rest);
      if (this.#buffer.isFull) await this.#sendPart(this.#buffer.empty());
    }
    this.#assertWhole();
  }

  /** Makes the object visible. Durable when it resolves. @throws {StorageError | PathTakenError} */
  async complete(place?: PublishPlace): Promise<void> {
    if (!this.#upload) {
      await this.#putWhole(place);
      return;
    }
    if (this.#buffer.bytes > 0) await this.#sendPart(this.#buffer.empty());
    await Promise.all(this.#inFlight);
    this.#assertWhole();
    await this.#sweepUnanswered(this.#upload);
    await this.#finish(this.#upload.id, place);
    await this.#journal.strike(this.#upload.note);
    this.#upload = undefined;
  }

  /** Removes all uploaded parts. Safe to repeat. @throws {StorageError} */
  async abort(): Promise<void> {
    this.#buffer.empty();
    // a part that arrives after the abort would stay stored
    await Promise.allSettled(this.#inFlight);
    const upload = this.#upload;
    if (!upload) return;
    await this.#sweepUnanswered(upload);
    await abortUpload(this.#bucket, this.#path, upload.id);
    await this.#journal.strike(upload.note);
    this.#upload = undefined;
  }

  async #sendPart(body: Uint8Array): Promise<void> {
    this.#upload ??= await this.#begin();
    while (this.#inFlight.size >= PARTS_IN_FLIGHT) await Promise.race(this.#inFlight);
    this.#assertWhole();
    const sending: Promise<void> = this.#sendNumbered(++this.#begun, body, this.#upload.id)
      .catch((error: unknown) => {
        this.#broken ??= { error };
      })
      .finally(() => this.#inFlight.delete(sending));
    this.#inFlight.add(sending);
  }

  async #begin(): Promise<BegunUpload> {
    const bucket = this.#bucket;
    const path = this.#path;
    await bucket.assertLockable();
    const { checksum = 'sha256' } = bucket.options;
    const request = new CreateMultipartUploadCommand({
      ...bucket.newObject(path),
      ...(checksum === 'none' ? {} : { ChecksumAlgorithm: CHECKSUMS[checksum] }),
    });
    const startMs = systemClock.monotonic();
    const answer = await bucket.ask('write', path, () => bucket.client.send(request));
    const createdInMs = systemClock.monotonic() - startMs;
    const id = answer.UploadId ?? '';
    const lostAnswers = (answer.$metadata.attempts ?? 1) - 1;
    return { id, note: await this.#journal.note(path, id), createdInMs, lostAnswers };
  }

  /** Failure is ignored: without it, the uploads are swept after a day. */
  async #sweepUnanswered({ id, createdInMs, lostAnswers }: BegunUpload): Promise<void> {
    if (lostAnswers === 0) return;
    const own = { path: this.#path, id, createdInMs };
    await abortUnanswered(this.#bucket, own, lostAnswers).catch(() => undefined);
  }

  async #sendNumbered(number: number, body: Uint8Array, id: string): Promise<void> {
    const bucket = this.#bucket;
    const path = this.#path;
    const checksum = bucket.checksumOf(body);
    const request = new UploadPartCommand({
      ...bucket.objectAt(path),
      ...checksum,
      UploadId: id,
      PartNumber: number,
      Body: body,
      ContentLength: body.byteLength,
    });
    const answer = await bucket.ask('write', path, () => bucket.client.send(request));
    this.#parts.push({ number, etag: answer.ETag ?? '', sha256: checksum.ChecksumSHA256 });
  }

  async #putWhole(place: PublishPlace | undefined): Promise<void> {
    const [bucket, path, bytes] = [this.#bucket, this.#path, this.#buffer.empty()] as const;
    if (place !== 'if-absent') await putS3Object(bucket, path, bytes);
    else if (!(await putS3ObjectIf(bucket, path, bytes, 'absent'))) throw new PathTakenError(path);
  }

  async #finish(id: string, place: PublishPlace | undefined): Promise<void> {
    const bucket = this.#bucket;
    const path = this.#path;
    const parts = this.#parts.toSorted((a, b) => a.number - b.number);
    const expected = compositeOf(parts);
    let answer: Finished | undefined;
    let lost: unknown;
    try {
      answer = await this.#sendFinish(id, parts, place);
    } catch (error) {
      // perhaps an earlier attempt completed the upload, and its response was lost
      const isTaken = statusOf(error) === 412;
      if (!isTaken && nameOf(error) !== 'NoSuchUpload') throw bucket.failure('write', path, error);
      lost = isTaken ? new PathTakenError(path) : error;
    }
    // some stores keep checksums and do not tell them here
    const stored = answer?.ChecksumSHA256 ?? (await this.#checksumThere(answer, lost));
    if (expected === undefined || stored === undefined || stored === expected) return;
    if (lost instanceof PathTakenError) throw lost;
    const reason = new Error(`the store has the checksum ${stored} instead of ${expected}`);
    throw bucket.failure('write', path, reason);
  }

  async #sendFinish(
    id: string,
    parts: readonly Part[],
    place: PublishPlace | undefined,
  ): Promise<Finished> {
    const { client } = this.#bucket;
    const finishing = {
      ...this.#bucket.objectAt(this.#path),
      UploadId: id,
      MultipartUpload: { Parts: parts.map(completedPart) },
    };
    const complete = (condition: { IfNoneMatch?: string }) =>
      client.send(new CompleteMultipartUploadCommand({ ...finishing, ...condition }));
    if (place !== 'if-absent') return complete({});
    // not every store looks at the condition here, and some refuse it
    if (await this.#isTaken()) throw new PathTakenError(this.#path);
    return complete({ IfNoneMatch: '*' }).catch((error: unknown) => {
      if (nameOf(error) !== 'NotImplemented') throw error;
      return complete({});
    });
  }

  async #isTaken(): Promise<boolean> {
    try {
      await this.#bucket.client.send(new HeadObjectCommand(this.#bucket.objectAt(this.#path)));
      return true;
    } catch (error) {
      if (isNotThere(error)) return false;
      throw error;
    }
  }

  /**
   * The checksum of the object at the path; undefined if the store keeps none. Then length and ETag prove which object it is.
   *
   * @param answer undefined if it was lost: then the object may be of another writer
   */
  async #checksumThere(answer: Finished | undefined, lost: unknown): Promise<string | undefined> {
    const bucket = this.#bucket;
    const path = this.#path;
    const request = new HeadObjectCommand({ ...bucket.objectAt(path), ChecksumMode: 'ENABLED' });
    try {
      const { ETag, ContentLength, ChecksumSHA256 } = await bucket.client.send(request);
      const etag = answer?.ETag ?? multipartEtag(this.#parts);
      const isIt = ChecksumSHA256 !== undefined || ETag === etag;
      if (isIt && ContentLength === this.#bytes) return ChecksumSHA256;
      lost ??= new Error(
        isIt
          ? `the store has ${ContentLength ?? 0} bytes instead of ${this.#bytes}`
          : 'the store has another object there',
      );
    } catch (error) {
      if (!isNotThere(error)) throw bucket.failure('write', path, error);
      lost ??= error;
    }
    throw bucket.failure('write', path, lost);
  }

  #assertWhole(): void {
    if (this.#broken) throw this.#bucket.failure('write', this.#path, this.#broken.error);
  }
}

const CHECKSUMS = { sha256: 'SHA256', crc32: 'CRC32' } as const;

function completedPart({ number, etag, sha256 }: Part): CompletedPart {
  return { PartNumber: number, ETag: etag, ChecksumSHA256: sha256 };
}

/** S3's checksum of a multipart object: the hash of the parts' hashes, and the number of parts. */
function compositeOf(parts: readonly Part[]): string | undefined {
  const hash = createHash('sha256');
  for (const { sha256 } of parts) {
    if (sha256 === undefined) return undefined;
    hash.update(Buffer.from(sha256, 'base64'));
  }
  return `${hash.digest('base64')}-${parts.length}`;
}

/** The same with ETags, which are MD5 sums unless the object is encrypted in some ways. */
function multipartEtag(parts: readonly Part[]): string {
  const hash = createHash('md5');
  for (const { etag } of parts.toSorted((a, b) => a.number - b.number)) {
    hash.update(Buffer.from(etag.replaceAll('"', ''), 'hex'));
  }
  return `"${hash.digest('hex')}-${parts.length}"`;
}

/** Collects bytes into parts that S3 accepts: at least 5 MiB each, at most 10,000 of them. */

const MIB = 1024 * 1024;
const LEAST_BYTES = 8 * MIB;
const MAX_PARTS = 10_000;
/** Reserve for an estimate that was too low. */
const PLANNED_PARTS = MAX_PARTS / 2;
const PARTS_OF_A_SIZE = 1000;
/** Where nobody knows how much will come. */
const FIRST_ALLOCATION = 64 * 1024;

/** The size of parts, in whole mebibytes. */
export function partBytesFor(expectedBytes: number): number {
  return Math.max(LEAST_BYTES, Math.ceil(expectedBytes / PLANNED_PARTS / MIB) * MIB);
}

export class PartBuffer {
  #size: number;
  #store = Buffer.alloc(0);
  #filled = 0;
  #parts = 0;
  readonly #firstAllocation: number;

  constructor(expectedBytes: number) {
    this.#size = partBytesFor(expectedBytes);
    this.#firstAllocation = expectedBytes > 0 ? expectedBytes : FIRST_ALLOCATION;
  }

  get bytes(): number {
    return this.#filled;
  }

  get isFull(): boolean {
    return this.#filled === this.#size;
  }

  /** Copies as much as fits, and returns the rest. */
  take(chunk: Uint8Array): Uint8Array {
    const taken = Math.min(chunk.byteLength, this.#size - this.#filled);
    this.#reserve(this.#filled + taken);
    this.#store.set(chunk.subarray(0, taken), this.#filled);
    this.#filled += taken;
    return chunk.subarray(taken);
  }

  /** Returns the collected bytes and empties the buffer. */
  empty(): Uint8Array {
    const part = this.#store.subarray(0, this.#filled);
    this.#store = Buffer.alloc(0);
    this.#filled = 0;
    this.#parts++;
    // equal parts as long as possible, since some stores require that; then larger ones
    const beyond = this.#parts - PLANNED_PARTS;
    if (beyond >= 0 && beyond % PARTS_OF_A_SIZE === 0) this.#size *= 2;
    return part;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#store.byteLength) return;
    const doubled = Math.max(this.#firstAllocation, bytes, this.#store.byteLength * 2);
    const larger = Buffer.allocUnsafe(Math.min(this.#size, doubled));
    larger.set(this.#store.subarray(0, this.#filled));
    this.#store = larger;
  }
}
