import { createMemoryStorage, MemoryPlace } from '../support/store/memory-storage.js';
import { describeStorage } from './storage-suite.js';

describeStorage("the tests' own memory", {
  listedObjects: 500,
  largeBytes: 3_000_000,
  make() {
    const place = new MemoryPlace();
    return Promise.resolve({
      open: () => createMemoryStorage(place),
      leftovers: () => Promise.resolve([...place.staged].map(() => 'staged')),
      remove: () => Promise.resolve(),
    });
  },
});
