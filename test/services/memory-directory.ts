/** Temporary files of tests lie in memory where a machine has room there: on a disk each fsync takes milliseconds. */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';

const IN_MEMORY = '/dev/shm';
/** Several times what all tests have at once. */
const LEAST_BYTES = 2 * 2 ** 30;

/** Whatever asks for the temporary directory from now on, in processes that are begun, too, gets one in memory. */
export function useMemoryDirectory(): { readonly remove: () => void } {
  if (process.env['TMPDIR'] !== undefined || freeBytes() < LEAST_BYTES)
    return { remove: () => undefined };
  const directory = mkdtempSync(`${IN_MEMORY}/jobvault-test-`);
  chmodSync(directory, 0o1777); // as /tmp: some tests are other users for a while
  process.env['TMPDIR'] = directory;
  return {
    remove: () => {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function freeBytes(): number {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize;
  } catch {
    return 0; // not on this system
  }
}
