/** Streams the body of a 200 into a staged object; hashes, counts and inspects it; returns it only when complete. */
import type { Dispatcher } from 'undici';
import { decoded } from '../base/http/content-encoding.js';
import type { Storage } from '../storage/storage.js';
import type { StoredFile } from './artifact-fetcher.js';
import type { Attempt } from './attempt.js';
import { BodyInspector } from './content/inspect-body.js';
import { TransferError } from './transfer-error.js';
import { describeFault } from './transfer-fault.js';
import { formatByteSize } from '../base/byte-size.js';

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

type Response = Pick<Dispatcher.ResponseData, 'headers' | 'body'>;

/**
 * Discards the staged object unless it returns it.
 *
 * @throws {TransferError} the body was interrupted
 * @throws the storage's own errors
 */
export async function receive(response: Response, options: ReceiveOptions): Promise<Attempt> {
  const { host, maxBytes } = options;
  const announced = announcedBytes(response);
  const tooLarge: Attempt = {
    kind: 'rejected',
    reason: `the file at ${host} is larger than ${formatByteSize(maxBytes)} (--max-file-size)`,
  };
  if (announced !== undefined && announced > maxBytes) {
    abandon(response);
    return tooLarge;
  }
  const body = decoded(response.body, headerOf(response, 'content-encoding'));
  if (typeof body === 'string') {
    abandon(response);
    return {
      kind: 'failed',
      reason: `${host} sent the file in an encoding that cannot be read: ${quote(body)}`,
    };
  }

  const inspector = new BodyInspector(options.kind, extensionIn(options.path));
  const staged = await options.storage
    .stage(announced === undefined ? {} : { expectedBytes: announced })
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
    options.onReceived();
    const digest = await staged.close();
    const { type, csv, image, verdict } = await inspector.end();
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
    isReturned = true;
    return { kind: 'stored', file };
  } finally {
    if (!isReturned) await staged.discard();
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

function announcedBytes(response: Response): number | undefined {
  const text = headerOf(response, 'content-length');
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function headerOf({ headers }: Response, name: string): string {
  return [headers[name] ?? []].flat().join(',');
}

/** In lower case, without its dot; empty without one. */
function extensionIn(path: string): string {
  return /\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
