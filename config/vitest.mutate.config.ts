import { defineConfig } from 'vitest/config';

// What the mutation tester runs: tests that need no server and finish in seconds.
export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: [
      'test/unit/**/*.test.ts',
      'test/property/**/*.test.ts',
      'test/conformance/formats*.test.ts',
      'test/conformance/storage-{local,memory,forgetful-disk}.test.ts',
    ],
    exclude: ['test/unit/export/simulated-month.test.ts', 'test/unit/base/system-clock.test.ts'],
    // one file after another in the same process, which loads every module once
    isolate: false,
    testTimeout: 30_000,
    setupFiles: 'test/support/base/strict-to-throw.ts',
  },
});
