import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { V8_FLAGS } from '../test/support/programs/v8-flags.js';
import { faults } from './fault-list.js';

const root = new URL('..', import.meta.url).pathname;
const common = {
  root,
  // far beyond what any takes: a slow machine fails nothing, a test that hangs ends
  testTimeout: 120_000,
  hookTimeout: 120_000,
  execArgv: [...V8_FLAGS],
  setupFiles: 'test/support/base/strict-to-throw.ts',
};
/** Beside nothing else in a process: from the first of them on, every archive there lies in a bucket. */
const s3 = ['test/s3/**/*.test.ts', 'test/conformance/storage-s3.test.ts'];
/** What sets something up for its whole process, and needs one of its own for each file. */
const alone = [
  'test/unit/base/system-clock.test.ts',
  'test/unit/base/text/long-texts.test.ts',
  'test/integration/export/nameless-user.test.ts',
];
/** Likewise; it computes for long, without the flags that put off optimising. */
const computing = ['test/simulate/**/*.test.ts'];

const pathsOf = (files: readonly string[]) => files.map((file) => `${root}test/${file}`);
/** Waits most of its time, the longest first: beside each of them others compute. */
const waiting = pathsOf([
  'fault/fleet/killed.test.ts',
  'fault/export/killed.test.ts',
  'integration/fleet/forged.test.ts',
  'integration/export/short-lived-urls.test.ts',
  'e2e/fleet.test.ts',
  'integration/cli/completion.test.ts',
  'fault/fleet/holds.test.ts',
  'fault/fleet/stopped.test.ts',
  'integration/fleet/fleet.test.ts',
  'fault/fleet/lost-answer.test.ts',
  'fault/fleet/beside-others.test.ts',
  'fault/export/stopped.test.ts',
  'integration/service/emulator.test.ts',
  'integration/fleet/ends.test.ts',
  'integration/fleet/redis.test.ts',
  'fault/artifacts/short-lives.test.ts',
]);
/** So many files take the other workers about as long as one that waits: few of them wait beside each other. */
const FILES_BESIDE_WAITING = 14;

/**
 * Larger files first, as Vitest does, but for what computes or waits long though it is small. Files of a project come one
 * after another: a worker that gets one of another project is ended, and the next loads all modules again. Of what computes,
 * one file runs beside S3, whose tests wait for the server, and the others beside what waits longest.
 */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const of = (project: string) => sorted.filter((file) => file.project.name === project);
    const waits = waiting.flatMap((path) => sorted.filter((file) => file.moduleId === path));
    const others = of('shared').filter((file) => !waits.includes(file));
    const shared = waits.flatMap((file, n) => {
      const from = n * FILES_BESIDE_WAITING;
      return [file, ...others.slice(from, from + FILES_BESIDE_WAITING)];
    });
    const computes = of('computing');
    const inOrder = [computes.slice(0, 1), of('s3'), computes, of('alone'), shared, sorted];
    return [...new Set(inOrder.flat())];
  }
}

export default defineConfig({
  test: {
    root,
    // two more than there are cores, since files wait: with one more, a quarter of two cores had nothing to do; every
    // worker loads and compiles all modules once more; unit tests hardly wait, and have one a core
    maxWorkers: availableParallelism() + 2,
    globalSetup: 'test/services/global-setup.ts',
    sequence: { sequencer: LongFirst },
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
