import { defineConfig } from 'vitest/config';

// Measurements, not tests: one after the other, with all the time they need.
export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/bench/**/*.bench.ts'],
    testTimeout: 1_800_000,
    fileParallelism: false,
    disableConsoleIntercept: true,
  },
});
