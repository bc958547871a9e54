/** Refuses sizes that the place of an archive cannot take in one object, before anything is read or written. */
import { UsageError } from '../base/error.js';
import { formatByteSize } from '../base/byte-size.js';
import type { Storage } from './storage.js';

/** The options that decide how large objects become, and their flags. */
const FLAGS = {
  maxFileBytes: '--max-file-size',
  checkpointBytes: '--checkpoint-size',
  targetBytes: '--target-size',
} as const;

/** @throws {UsageError} naming the flag, what came and what is allowed */
export function assertSizesFit(
  { location = 'the archive', maxObjectBytes = Infinity }: Partial<Storage>,
  sizes: { readonly [Size in keyof typeof FLAGS]?: number | undefined },
): void {
  for (const [size, flag] of Object.entries(FLAGS)) {
    const bytes = sizes[size as keyof typeof FLAGS] ?? 0;
    if (bytes <= maxObjectBytes) continue;
    const most = `${maxObjectBytes / 2 ** 30}GiB (${formatByteSize(maxObjectBytes)})`;
    throw new UsageError(
      `${flag} is ${formatByteSize(bytes)}; allowed in ${location} is at most ${most}, the largest object that a bucket takes in one request`,
    );
  }
}
