/** Options of `openArchive`. */
import type { CommitSigner } from '../archive/log/signing.js';
import type { ProxySettings } from '../base/http/proxy.js';
import type { RuntimeOptions } from '../base/runtime.js';
import type { ParquetCodec } from '../formats/parquet/parquet-codec.js';
import type { StorageOptions } from '../storage/open-storage.js';

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
