import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalStorage } from '../../src/storage/local/local-storage.js';
import { describeStorage } from './storage-suite.js';

describeStorage('a local directory', {
  hasThreads: true,
  listedObjects: 2500,
  largeBytes: 64_000_000,
  async make() {
    const parent = await mkdtemp(join(tmpdir(), 'jobvault-storage-'));
    const directory = join(parent, 'not', 'there', 'yet');
    return {
      open: () => createLocalStorage({ directory }),
      leftovers: () => readdir(join(directory, '_staging')).catch(() => []),
      remove: () => rm(parent, { recursive: true }),
    };
  },
});
