/** Streams a 200's body into a staged object: hashed, counted and looked at on the way, handed out only when complete. */
import type { Dispatcher } from 'undici';
import { decoded } from '../base/http/content-encoding.js';
import type { Storage } from '../storage/storage.js';
import type { StoredFile } from './artifact-fetcher.js';
import type { Attempt } from './attempt.js';
import { createBodyInspector } from './content/inspect-body.js';
import { TransferError } from './transfer-error.js';
import { describeFault } from './transfer-fault.js';
import { formatByteSize } from '../base/byte-size.js';

export interface ReceiveOptions {
  readonly storage: Pick<Storage, 'stage'>;
  readonly kind: string;
  /** Of the URL as it was handed out: what its extension says can be held against what comes. */
  readonly path: string;
  readonly host: string;
  readonly maxBytes: number;
  /** The caller's, not the deadline's: a file that is complete is not thrown away for being late. */
  readonly signal: AbortSignal;
  onBytes(bytes: number): void;
  /** The whole body is here, and its connection free for another file. */
  onReceived(): void;
}

type Response = Pick<Dispatcher.ResponseData, 'headers' | 'body'>;

/**
 * Every staged object that is not handed out is discarded.
 *
 * @throws {TransferError} the body broke off
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

  const inspector = createBodyInspector(options.kind, extensionIn(options.path));
  const staged = await options.storage
    .stage(announced === undefined ? {} : { expectedBytes: announced })
    .catch((error: unknown) => {
      abandon(response);
      throw error;
    });
  let isHandedOut = false;
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
    isHandedOut = true;
    return { kind: 'stored', file };
  } finally {
    if (!isHandedOut) await staged.discard();
  }
}

/** Turns what breaks the body off into TransferErrors, and leaves what the consumer throws alone. */
async function* chunksOf(body: AsyncIterable<unknown>, host: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk as Uint8Array;
  } catch (error) {
    if (error instanceof TransferError) throw error;
    throw new TransferError(describeFault(host, error), { cause: error });
  }
}

/** Gives the connection up: draining a body that nobody wants could take longer than a new connection. */
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

/** In lower case, without its dot; empty where there is none. */
function extensionIn(path: string): string {
  return /\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
