import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { V8_FLAGS } from '../test/support/programs/v8-flags.js';

const root = new URL('..', import.meta.url).pathname;
const common = { root, testTimeout: 30_000, hookTimeout: 60_000, execArgv: [...V8_FLAGS] };
/** A worker a core: nothing here waits, and every worker loads the modules once more. */
const busy = { ...common, maxWorkers: '100%', sequence: { groupOrder: 0 } };
/** Three times the cores of a small machine: much of the time is waiting. */
const waiting = { ...common, maxWorkers: 6, sequence: { groupOrder: 1 } };
const unit = ['test/unit/**/*.test.ts'];
/** Beside nothing else in a process: from the first of them on, every archive there lies in a bucket. */
const s3 = ['test/s3/**/*.test.ts', 'test/conformance/storage-s3.test.ts'];
/** What sets something up for its whole process, and needs one of its own for each file. */
const alone = [
  'test/unit/base/system-clock.test.ts',
  'test/integration/export/nameless-user.test.ts',
  'test/simulate/**/*.test.ts',
];

/** Small files that take long, most of it waiting: at the end they would be alone. */
const long = [
  'integration/export/slurm.test.ts',
  'integration/export/short-lived-urls.test.ts',
  'integration/report/workbook-full-sheet.test.ts',
  'simulate/simulate.test.ts',
  'fault/export/killed.test.ts',
  'fault/export/stopped.test.ts',
  'fault/fleet/killed.test.ts',
  'fault/fleet/lost-answer.test.ts',
  'property/export-changing.test.ts',
  's3/export-killed.test.ts',
].map((file) => `${root}test/${file}`);

/** Larger files first, as Vitest does; before them what takes long nevertheless. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => long.includes(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    root,
    globalSetup: 'test/services/global-setup.ts',
    sequence: { sequencer: LongFirst },
    // what TypeScript was compiled to, kept in node_modules: by content, for all projects and the next run
    experimental: { fsModuleCache: true },
    coverage: { provider: 'v8', include: ['src/**'] },
    projects: [
      // one file after another in the same process, which loads every module once
      { test: { ...busy, name: 'unit', include: unit, exclude: alone, isolate: false } },
      {
        test: {
          ...waiting,
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...unit, ...s3, ...alone],
          isolate: false,
        },
      },
      { test: { ...waiting, name: 's3', include: s3, isolate: false } },
      { test: { ...waiting, name: 'alone', include: alone } },
    ],
  },
});
