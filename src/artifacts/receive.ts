/** Streams the body of a 200 into a staged object; hashes, counts and inspects it; returns it only when complete. */
import type { Dispatcher } from 'undici';
import { decoded, hasOwnEnd } from '../base/decompressed.js';
import type { StagedObject, Storage } from '../storage/storage.js';
import { type StoredFile } from './artifact-fetcher.js';
import { TransferError, describeFault } from './download-errors.js';
import { type Attempt } from './attempt.js';
import { BodyInspector, type BodyFacts } from './content/inspect-body.js';
import { charsetIn } from './content/text-encoding.js';
import { formatByteSize } from '../base/byte-size.js';
import { BodyDigests } from './declared-digests.js';
import { staleBecause } from '../base/http/stale-answer.js';
import { redactText } from '../base/text/redact.js';
import { isWholeGzip } from './whole-gzip.js';
import { type Headers, announcedEnd, fileHeader, quote } from './announced-end.js';

export interface ReceiveOptions {
  readonly storage: Pick<Storage, 'stage'>;
  readonly kind: string;
  /** Path of the URL before redirects: its extension is compared with the content. */
  readonly path: string;
  readonly host: string;
  readonly maxBytes: number;
  /** Hosts whose ETags were found to be digests; more are added. */
  readonly hostsWithDigests?: Set<string> | undefined;
  /** Which file the URL means, and what the others were. Default: nothing is compared. */
  readonly others?: { readonly key: string; readonly contents: SeenContents } | undefined;
  /** The caller's signal, not the deadline's: a complete file is not discarded for being late. */
  readonly signal: AbortSignal;
  /** Received bytes are counted here. */
  readonly stats: { bytes: number };
  /** See `AttemptRequest`. */
  onReceived(): void;
}

const GZIP = 'application/gzip';

type Response = Pick<Dispatcher.ResponseData, 'headers' | 'body'>;

/**
 * Discards the staged object unless it returns it, also with a picture that is cut off.
 *
 * @throws {TransferError} the body was interrupted, is a part, or is not as long as announced or not what its digest says
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
  const wire = { bytes: 0, digests: new BodyDigests(response.headers) };
  const body = decoded(counted(response.body, wire), encoding);
  if (typeof body === 'string') {
    abandon(response);
    return {
      kind: 'failed',
      reason: `${host} sent the file in an encoding that cannot be read: ${quote(body)}`,
    };
  }

  const inspector = new BodyInspector(
    options.kind,
    extensionIn(options.path),
    charsetIn(fileHeader(response.headers, 'content-type')),
  );
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
      options.stats.bytes += chunk.length;
      if (bytes > maxBytes) return tooLarge;
      await staged.write(chunk);
      inspector.write(chunk);
    }
    if (end.length !== null && wire.bytes !== end.length) {
      throw new TransferError(`${host} sent ${wire.bytes} bytes and announced ${end.length}`);
    }
    const mismatch = wire.digests.mismatch(host, options.hostsWithDigests ?? new Set());
    if (mismatch?.isGuess === false) {
      throw new TransferError(
        `${host} sent a body whose digest is not that of its ${mismatch.header}`,
      );
    }
    options.onReceived();
    const digest = await staged.close();
    const facts = await inspector.end();
    const { type, verdict, provesEnd } = facts;
    options.signal.throwIfAborted();
    // a picture that came whole may be all that there is, whatever its format lacks at its end
    const isCutOff = facts.isTruncated && end.length !== null;
    if (verdict.refused !== null && !isCutOff) {
      return { kind: 'not the file', reason: `${host} sent ${verdict.refused}` };
    }
    const file = storedFile(staged, digest, facts, {
      sentName: nameIn(fileHeader(response.headers, 'content-disposition')),
      suspicious: doubtsOf(
        verdict.refused ?? verdict.suspicious,
        mismatch ? NOT_AS_TOLD : null,
        isOfAnother(response.headers, digest.sha256, options.others) ? OF_ANOTHER : null,
      ),
    });
    if (verdict.refused !== null) {
      isReturned = true;
      return { kind: 'cut off', file, reason: `${host} sent ${verdict.refused}` };
    }
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

/** @param more what the bytes alone do not tell */
export function storedFile(
  staged: StagedObject,
  { sha256, bytes }: { readonly sha256: string; readonly bytes: number },
  { type, table, csv, image }: BodyFacts,
  more: Pick<StoredFile, 'sentName' | 'suspicious'>,
): StoredFile {
  return {
    status: 'stored',
    staged,
    sha256,
    bytes,
    mediaType: type.mediaType,
    extension: type.extension,
    ...more,
    rowCount: csv?.rowCount ?? null,
    columnCount: csv?.columnCount ?? null,
    width: image?.width ?? null,
    height: image?.height ?? null,
    encoding: table?.encoding ?? null,
    separator: table?.separator ?? null,
    headingLine: table?.headingLine ?? null,
    tableText: table?.text ?? null,
  };
}

/** The name of the file in a Content-Disposition; null without one. */
function nameIn(contentDisposition: string): string | null {
  const encoded = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]{1,3000})/i.exec(contentDisposition);
  const [, quoted, plain] =
    /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.){1,1000})"|([^";\s]{1,1000}))/i.exec(
      contentDisposition,
    ) ?? [];
  const name = decodedName(encoded?.[1]) ?? quoted?.replace(/\\(.)/g, '$1') ?? plain;
  // a path is the sender's affair
  return name?.split(/[/\\]/).at(-1)?.trim() || null;
}

function decodedName(encoded: string | undefined): string | undefined {
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** Passes the body on; its bytes on the wire add up in `wire`, and go into its digests. */
async function* counted(
  body: AsyncIterable<unknown>,
  wire: { bytes: number; readonly digests: BodyDigests },
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    wire.bytes += (chunk as Uint8Array).length;
    wire.digests.update(chunk as Uint8Array);
    yield chunk as Uint8Array;
  }
}

/** What `suspicious` says where the bytes are not those that the ETag is of. */
const NOT_AS_TOLD = 'not the bytes of its ETag';

/** The sentence where a cache gives for one URL what another one has: it may not look at all of the URL. */
const OF_ANOTHER = 'the bytes of another file, from the memory of a cache';

/** Equal bytes alone are no doubt: two answers may have the same table. */
function isOfAnother(headers: Headers, sha256: string, others: ReceiveOptions['others']): boolean {
  const isKnown = others?.contents.isOfAnother(sha256, others.key) === true;
  return (
    isKnown && staleBecause((name) => fileHeader(headers, name) || null, redactText) !== undefined
  );
}

function doubtsOf(...doubts: readonly (string | null)[]): string | null {
  return doubts.filter((doubt) => doubt !== null).join('; ') || null;
}

/** The contents of the newest files that were read, and the first file that had each. */
export class SeenContents {
  readonly #keys = new Map<string, string>();

  constructor(readonly most = MOST_CONTENTS) {}

  /** Whether another file had these bytes. */
  isOfAnother(sha256: string, key: string): boolean {
    const known = this.#keys.get(sha256);
    if (known !== undefined) return known !== key;
    this.#keys.set(sha256, key);
    const oldest = this.#keys.keys().next();
    if (this.#keys.size > this.most && !oldest.done) this.#keys.delete(oldest.value);
    return false;
  }
}

/** Some 30 MB. */
const MOST_CONTENTS = 100_000;

/** Turns errors of the body into TransferErrors; errors of the consumer pass unchanged. */
async function* chunksOf(
  body: AsyncIterable<Uint8Array>,
  host: string,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) yield chunk;
  } catch (error) {
    if (error instanceof TransferError) throw error;
    throw new TransferError(describeFault(host, error), { cause: error });
  }
}

/** Closes the connection: draining an unwanted body could take longer than a new connection. */
function abandon({ body }: Response): void {
  body.on('error', () => undefined).destroy();
}

/** The extension of a path in lower case, without its dot; empty without one. */
function extensionIn(path: string): string {
  return /\.([a-z0-9]{1,8})$/i.exec(path)?.[1]?.toLowerCase() ?? '';
}
