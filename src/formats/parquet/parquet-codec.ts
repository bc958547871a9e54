/** Compression codecs of Parquet pages. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { messageOf, UsageError } from '../../base/error.js';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';

/** zstd is half the size of snappy; snappy and gzip suit readers without zstd. */
export type ParquetCodec = 'zstd' | 'snappy' | 'gzip' | 'uncompressed';

export type ParquetCodecName = 'ZSTD' | 'SNAPPY' | 'GZIP' | 'UNCOMPRESSED';

export const CODEC_NAMES: Readonly<Record<ParquetCodec, ParquetCodecName>> = {
  zstd: 'ZSTD',
  snappy: 'SNAPPY',
  gzip: 'GZIP',
  uncompressed: 'UNCOMPRESSED',
};

type PageCompressors = Partial<Record<ParquetCodecName, (page: Uint8Array) => Uint8Array>>;
type PageDecompressors = Partial<
  Record<ParquetCodecName, (page: Uint8Array, bytes: number) => Uint8Array>
>;

/** Empty if pages are not compressed. */
export async function pageCompressors(codec: ParquetCodec): Promise<PageCompressors> {
  switch (codec) {
    case 'zstd':
      return { ZSTD: (await loadZstd()).compress };
    case 'gzip':
      return { GZIP: (page) => gzipSync(page) };
    case 'snappy':
      return { SNAPPY: snappyCompress };
    case 'uncompressed':
      return {};
  }
}

/** For hyparquet, which has only snappy. */
export async function pageDecompressors(): Promise<PageDecompressors> {
  const zstd = await loadZstd();
  return {
    // hyparquet also passes empty pages: either a compressed frame or no bytes
    ZSTD: (page) => (page.byteLength === 0 ? page : zstd.decompress(page)),
    GZIP: (page, bytes) =>
      page.byteLength === 0 ? page : gunzipSync(page, { maxOutputLength: Math.max(bytes, 1) }),
  };
}

/** Zstandard as WebAssembly, loaded when a file first needs it. */
let loading: Promise<Zstd> | undefined;

export interface Zstd {
  readonly compress: (bytes: Uint8Array) => Uint8Array;
  readonly decompress: (bytes: Uint8Array) => Uint8Array;
}

/** Level 5 took four times as long for the same size: 177 ms instead of 49 ms for 4 MB of such text. */
const LEVEL = 3;

function loadZstd(): Promise<Zstd> {
  return (loading ??= load());
}

/** @throws {UsageError} a package is not installed: no file is damaged because of that */
async function load(): Promise<Zstd> {
  const { compress, decompress, init } = await import('@bokuweb/zstd-wasm').catch(
    (cause: unknown) => {
      const [reason = ''] = messageOf(cause).split('\n', 1);
      throw new UsageError(
        `a package of jobvault, @bokuweb/zstd-wasm, cannot be loaded here (${reason}), and no Parquet file can be read or written without it; install jobvault again`,
        { cause },
      );
    },
  );
  await init();
  return { compress: (bytes) => compress(bytes, LEVEL), decompress: (bytes) => decompress(bytes) };
}
