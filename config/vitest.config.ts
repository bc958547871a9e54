import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { V8_FLAGS } from '../test/support/programs/v8-flags.js';
import { faults } from './fault-list.js';

const root = new URL('..', import.meta.url).pathname;
const common = {
  root,
  // far beyond what any takes: a slow machine fails nothing, a test that hangs ends
  testTimeout: 120_000,
  hookTimeout: 120_000,
  execArgv: [...V8_FLAGS],
  setupFiles: ['test/support/base/strict-to-throw.ts'],
};
/** Beside nothing else in a process: from the first of them on, every archive there lies in a bucket. */
const s3 = ['test/s3/**/*.test.ts', 'test/conformance/storage-s3.test.ts'];
/** What sets something up for its whole process, and needs one of its own for each file. */
const alone = [
  'test/unit/base/system-clock.test.ts',
  'test/unit/base/text/long-texts.test.ts',
  'test/integration/export/nameless-user.test.ts',
];
/** Computes for long, without the flags that put off optimising. */
const computing = ['test/simulate/**/*.test.ts', 'test/property/numbers-of-outputs.test.ts'];

export default defineConfig({
  test: {
    root,
    // two more than there are cores, since files wait: with one more, a quarter of two cores had nothing to do; every
    // worker loads and compiles all modules once more; unit tests hardly wait, and have one a core
    maxWorkers: availableParallelism() + 2,
    globalSetup: 'test/services/global-setup.ts',
    // what TypeScript was compiled to, kept in node_modules: by content, for all projects and the next run
    experimental: { fsModuleCache: true },
    tags: faults().map(({ tag, what }) => ({ name: tag, description: what })),
    coverage: { provider: 'v8', include: ['src/**'] },
    projects: [
      // one file after another in the same process, which loads every module once
      {
        test: {
          ...common,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...s3, ...alone, ...computing],
          isolate: false,
        },
      },
      { test: { ...common, name: 's3', include: s3, isolate: false } },
      { test: { ...common, name: 'alone', include: alone } },
      { test: { ...common, name: 'computing', include: computing, execArgv: [] } },
    ],
  },
});
