/** Streams the body of a 200 into a staged object; hashes, counts and inspects it; returns it only when complete. */
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { decoded, hasOwnEnd } from '../base/http/content-encoding.js';
import type { Storage } from '../storage/storage.js';
import type { StoredFile } from './artifact-fetcher.js';
import type { Attempt } from './attempt.js';
import { announcedEnd, fileHeader } from './body-end.js';
import { BodyInspector } from './content/inspect-body.js';
import { isWholeGzip } from './content/whole-gzip.js';
import { TransferError, describeFault } from './artifact-errors.js';
import { formatByteSize } from '../base/byte-size.js';
import { redactText } from '../base/text/redact.js';

export interface ReceiveOptions {
  readonly storage: Pick<Storage, 'stage'>;
  readonly kind: string;
  /** Path of the URL before redirects: its extension is compared with the content. */
  readonly path: string;
  readonly host: string;
  readonly maxBytes: number;
  /** The caller's signal, not the deadline's: a complete file is not discarded for being late. */
  readonly signal: AbortSignal;
  onBytes(bytes: number): void;
  /** See `AttemptRequest`. */
  onReceived(): void;
}

const GZIP = 'application/gzip';

type Response = Pick<Dispatcher.ResponseData, 'headers' | 'body'>;

/**
 * Discards the staged object unless it returns it.
 *
 * @throws {TransferError} the body was interrupted, is a part, or is not as long as announced
 * @throws the storage's own errors
 */
export async function receive(response: Response, options: ReceiveOptions): Promise<Attempt> {
  const { host, maxBytes } = options;
  const end = announcedEnd(response.headers);
  if (typeof end === 'string') {
    abandon(response);
    throw new TransferError(`${host} sent ${end}`);
  }
  const tooLarge: Attempt = {
    kind: 'rejected',
    reason: `the file at ${host} is larger than ${formatByteSize(maxBytes)} (--max-file-size)`,
  };
  if (end.length !== null && end.length > maxBytes) {
    abandon(response);
    return tooLarge;
  }
  const encoding = fileHeader(response.headers, 'content-encoding');
  const wire = { bytes: 0 };
  const body = decoded(Readable.from(counted(response.body, wire)), encoding);
  if (typeof body === 'string') {
    abandon(response);
    return {
      kind: 'failed',
      reason: `${host} sent the file in an encoding that cannot be read: ${quote(body)}`,
    };
  }

  const inspector = new BodyInspector(options.kind, extensionIn(options.path));
  const staged = await options.storage
    .stage(end.length === null ? {} : { expectedBytes: end.length })
    .catch((error: unknown) => {
      abandon(response);
      throw error;
    });
  let isReturned = false;
  try {
    let bytes = 0;
    for await (const chunk of chunksOf(body, host)) {
      bytes += chunk.length;
      options.onBytes(chunk.length);
      if (bytes > maxBytes) return tooLarge;
      await staged.write(chunk);
      inspector.write(chunk);
    }
    if (end.length !== null && wire.bytes !== end.length) {
      throw new TransferError(`${host} sent ${wire.bytes} bytes and announced ${end.length}`);
    }
    options.onReceived();
    const digest = await staged.close();
    const { type, csv, image, verdict, provesEnd } = await inspector.end();
    options.signal.throwIfAborted();
    if (verdict.refused !== null) {
      return { kind: 'not the file', reason: `${host} sent ${verdict.refused}` };
    }
    const file: StoredFile = {
      status: 'stored',
      staged,
      sha256: digest.sha256,
      bytes: digest.bytes,
      mediaType: type.mediaType,
      extension: type.extension,
      suspicious: verdict.suspicious,
      rowCount: csv?.rowCount ?? null,
      columnCount: csv?.columnCount ?? null,
      width: image?.width ?? null,
      height: image?.height ?? null,
    };
    const isProven =
      end.length !== null ||
      end.isChunked ||
      hasOwnEnd(encoding) ||
      provesEnd ||
      (type.mediaType === GZIP && (await isWholeGzip(staged.read(), maxBytes)));
    options.signal.throwIfAborted();
    isReturned = true;
    return { kind: isProven ? 'stored' : 'unproven end', file };
  } finally {
    if (!isReturned) await staged.discard();
  }
}

/** Passes the body on; its bytes on the wire add up in `wire`. */
async function* counted(
  body: AsyncIterable<unknown>,
  wire: { bytes: number },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    wire.bytes += (chunk as Uint8Array).length;
    yield chunk as Uint8Array;
  }
}

/** Turns errors of the body into TransferErrors; errors of the consumer pass unchanged. */
async function* chunksOf(body: AsyncIterable<unknown>, host: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    if (error instanceof TransferError) throw error;
    throw new TransferError(describeFault(host, error), { cause: error });
  }
}

/** Closes the connection: draining an unwanted body could take longer than a new connection. */
function abandon({ body }: Response): void {
  body.on('error', () => undefined).destroy();
}

/** In lower case, without its dot; empty without one. */
function extensionIn(path: string): string {
  return /\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
}

function quote(text: string): string {
  return JSON.stringify(redactText(text).slice(0, 40));
}
