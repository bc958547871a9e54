/** Warns of files whose bytes were not compared with the log, only their sizes. */
import type { Logger } from '../../base/logger.js';
import { formatByteSize } from '../../base/byte-size.js';

export function warnUnverified(unverifiedBytes: number, logger: Logger): void {
  if (unverifiedBytes === 0) return;
  const message = `${formatByteSize(unverifiedBytes)} of files were read without comparing their bytes with the log, only their sizes: jobvault verify compares them`;
  logger.warn({}, message);
}
