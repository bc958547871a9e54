/** Says of how much that was read only the size was compared with the log. */
import { formatByteSize } from '../../base/byte-size.js';
import type { Logger } from '../../base/logger.js';

export function tellUnverified(unverifiedBytes: number, logger: Logger): void {
  if (unverifiedBytes === 0) return;
  const told = `${formatByteSize(unverifiedBytes)} of files were read without comparing their bytes with the log, only their sizes: jobvault verify compares them`;
  logger.warn({}, told);
}
