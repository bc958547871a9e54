/** Compression codecs of Parquet pages. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
import { loadZstd } from './zstd.js';

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
