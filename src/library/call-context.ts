/** What every operation on an open archive needs: the archive, the signal to stop, and how to write a result atomically. */
import { fromSnapshot, type Archive } from '../archive/archive.js';
import type { ReportOptions } from '../report/report-options.js';
import type { Replaceable } from '../storage/local/whole-directory.js';
import type { CommitSigner } from '../archive/log/signing.js';
import type { ProxySettings } from '../base/http/proxy.js';
import type { RuntimeOptions } from '../base/runtime.js';
import type { ParquetCodec } from '../formats/parquet/parquet-codec.js';
import type { StorageOptions } from '../storage/open-storage.js';

/** Options of `openArchive`. */
export interface OpenOptions extends RuntimeOptions {
  /** Options of the archive's storage. */
  readonly storage?: StorageOptions | undefined;
  /** Signs new commits; needed if the log is signed. Default: commits are not signed. */
  readonly signer?: CommitSigner | undefined;
  /** Time-stamp authorities (RFC 3161): each stamps the last commit of every operation that commits. Default: none. */
  readonly timestampUrls?: readonly URL[] | undefined;
  /** Default: authorities are reached directly. */
  readonly proxy?: ProxySettings | undefined;
  /** Compression of new Parquet files. Default `zstd`. */
  readonly parquetCodec?: ParquetCodec | undefined;
}

/** Options that come from the open archive, not from the caller. */
export type ContextOption = 'archive' | 'signal';
type WriteOptions = Pick<ReportOptions, 'target' | 'earlier'>;

export class CallContext {
  #reader: Archive | undefined;

  constructor(
    readonly archive: Archive,
    readonly signal: AbortSignal,
    readonly options: OpenOptions,
  ) {}

  /** For what only reads, and decides nothing that cannot be taken back. */
  get reader(): Archive {
    this.#reader ??= fromSnapshot(this.archive);
    return this.#reader;
  }

  /** Options of what reads. */
  get reading() {
    return { archive: this.reader, signal: this.signal };
  }

  /** Options of what decides or writes. */
  get writing() {
    return { archive: this.archive, signal: this.signal };
  }

  /** What an operation that commits has done, once the newest commit has its time stamps. */
  async stamped<T>(work: Promise<T>): Promise<T> {
    const done = await work;
    const { timestampUrls: urls = [], proxy } = this.options;
    if (urls.length > 0) {
      const { stampNewestCommit } = await import('../archive/witnesses/timestamps.js');
      await stampNewestCommit(this.archive, { urls, proxy, signal: this.signal });
    }
    return done;
  }

  /** Writes everything or nothing; begins again if another run rewrites the archive meanwhile. */
  async write<T>(
    out: string,
    work: (options: WriteOptions) => Promise<T>,
    replaceable?: Replaceable,
  ): Promise<T> {
    const { writeAtomically } = await import('../storage/write-atomically.js');
    const { retryOnRewrite } = await import('../archive/retry-on-rewrite.js');
    const { storage = {} } = this.options;
    return retryOnRewrite(() =>
      writeAtomically(out, storage, (target, earlier) => work({ target, earlier }), replaceable),
    );
  }
}
