/** How an archive is opened. */
import type { CommitSigner } from '../archive/log/commit-signer.js';
import type { RuntimeOptions } from '../base/runtime.js';
import type { ParquetCodec } from '../formats/parquet/parquet-codec.js';
import type { StorageOptions } from '../storage/open-storage.js';

export interface OpenOptions extends RuntimeOptions {
  /** How the archive's place is reached. */
  readonly storage?: StorageOptions | undefined;
  /** Signs the commits that are made; needed where the log is signed. Default: nobody does. */
  readonly signer?: CommitSigner | undefined;
  /** Of Parquet files that are written. Default `zstd`. */
  readonly parquetCodec?: ParquetCodec | undefined;
}
