import { ForgetfulDisk } from '../support/store/forgetful-disk.js';
import { createLocalStorage } from '../../src/storage/local/local-storage.js';
import { describeStorage } from './storage-suite.js';

// The double must be a disk before it may forget anything.
describeStorage('a disk that could lose its power', {
  listedObjects: 200,
  largeBytes: 500_000,
  make() {
    const disk = new ForgetfulDisk();
    const { fileSystem } = disk;
    return Promise.resolve({
      open: () => createLocalStorage({ directory: '/mnt/archive', fileSystem }),
      leftovers: async () => {
        const names = await fileSystem.readdir('/mnt/archive/_staging').catch(() => []);
        return names.map(String);
      },
      remove: () => Promise.resolve(),
    });
  },
});
