import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExportSummary } from '../../src/export/export-summary.js';
import { CliRig } from '../support/rigs/cli-rig.js';
import { duckDbRows } from '../support/tables/duckdb-rows.js';
import { scriptedApi } from '../support/http/scripted-api.js';
import { contractKey } from '../support/tables/contract-tables.js';
import { metricsIn } from '../support/base/metrics-folder.js';
import { fault } from '../support/base/fault.js';

describe('an export that is interrupted', () => {
  let rig: CliRig;

  beforeEach(async () => {
    rig = await CliRig.start({ users: 1, sessions: 5, jobs: 2, artifactsPerJob: 1 });
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  /** Resolves when so many histories have been asked for; the last one is never answered. */
  const histories = (count: number) =>
    new Promise<void>((resolve) => {
      rig.emulator.faults.beforeRequest = ({ operation, nth }) => {
        if (operation !== 'getHistory' || nth !== count) return;
        rig.emulator.faults.api = [{ answer: { kind: 'hang' } }];
        resolve();
      };
    });

  it('tells whoever watches from outside', async () => {
    await using monitor = await scriptedApi({ status: 200 });
    const reached = histories(3);
    const addresses = ['--ping-url', `${monitor.url}/ping`, '--webhook-url', `${monitor.url}/hook`];
    const running = rig.begin(rig.exportWords('--concurrency', '1', ...addresses));
    await reached;
    running.kill('SIGTERM');
    await running.ended;
    const told = monitor.seen.map(({ url }) => url);
    expect(told.toSorted()).toEqual(['/hook', '/ping/143', '/ping/start']);
    const body = monitor.seen.find(({ url }) => url === '/hook')?.body ?? '';
    expect(JSON.parse(body)).toMatchObject({
      ...{ status: 'interrupted', exit_code: 143, error: 'stopped by SIGTERM' },
    });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'by %s saves what is ready, and the next one completes it',
    fault('F-42'),
    async (signal, code) => {
      const reached = histories(4);
      const running = rig.begin(rig.exportWords('--concurrency', '1', '--json'));
      await reached;
      running.kill(signal);
      await running.untilStderr(/stopping/);
      running.kill(signal); // as `timeout` and npm do: to the process, then to its group
      const end = await running.ended;
      expect(end.exitCode).toBe(code);
      expect(end.stderr).toContain('stopping: saving what is ready');
      const summary = JSON.parse(end.stdout) as ExportSummary;
      expect(summary).toMatchObject({ status: 'interrupted', commits: [1] });
      expect(summary.jobs.archived).toBeGreaterThan(0);
      expect(await rig.countOf('jobs')).toBe(summary.jobs.archived);

      rig.emulator.faults.api = [];
      const next = await rig.export();
      expect(next.status).toBe('complete');
      const { jobs } = rig.state.totals();
      expect(next.jobs.archived).toBe(jobs - summary.jobs.archived);
      expect(await rig.countOf('jobs')).toBe(jobs);
      for (const table of ['sessions', 'jobs', 'blocks', 'artifacts']) {
        const key = contractKey(table);
        expect(await rig.select(table, key, `GROUP BY ${key} HAVING count(*) > 1`)).toEqual([]);
      }
      expect((await rig.run(['verify', rig.out])).exitCode).toBe(0);
    },
  );

  it('while the disk hangs is over at once with the second signal', fault('F-42'), async () => {
    const preload = join(rig.directory, 'hang.mjs');
    const hang = `import fs from 'node:fs/promises';
      import { syncBuiltinESMExports } from 'node:module';
      const link = fs.link;
      fs.link = (from, to) => {
        if (!to.includes('_commits')) return link(from, to);
        process.stdout.write('saving');
        return new Promise((resolve) => setTimeout(resolve, 1e6));
      };
      syncBuiltinESMExports();`;
    await writeFile(preload, hang);
    const reached = histories(3);
    const running = rig.begin(rig.exportWords('--concurrency', '1'), {
      environment: { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` },
    });
    await reached;
    running.kill('SIGINT');
    await running.untilStdout(/saving/);
    running.kill('SIGTERM');
    expect((await running.ended).exitCode).toBe(143);
    rig.emulator.faults.api = [];
    await rig.export();
    const files = (await rig.runProgram(['files', rig.out, 'jobs'])).stdout.trim().split('\n');
    const list = files.map((path) => `'${path}'`).join(', ');
    const keys = `SELECT ${contractKey('jobs')} FROM read_parquet([${list}])`;
    const [row] = await duckDbRows(
      `SELECT count(*)::INTEGER AS n, count(DISTINCT k)::INTEGER AS keys FROM (${keys}) AS k`,
    );
    const { jobs } = rig.state.totals();
    expect(row).toEqual({ n: jobs, keys: jobs });
    expect((await rig.run(['verify', rig.out])).exitCode).toBe(0);
  });

  it.each([
    [
      'export',
      25_000,
      '_commits',
      1,
      /^no commit of this run was confirmed, so nothing of it is known to be in the archive; the next run starts there again$/,
    ],
    [
      'export',
      25_000,
      '_commits',
      2,
      /^1 commit of this run with [1-9]\d* versions? of questions is in the archive; the next run goes on there$/,
    ],
    ['verify', 1500, 'tables', 1, undefined],
  ] as const)(
    'ends a command (%s) after 25 s if it writes, 1.5 s if it reads (%d ms; at %s, call %d)',
    fault('F-84'),
    async (command, limitMs, hangsAt, nth, saved) => {
      const isExport = command === 'export';
      const preload = join(rig.directory, 'hang.mjs');
      const hang = `import fs from 'node:fs/promises';
      import { syncBuiltinESMExports } from 'node:module';
      const { setTimeout: later } = globalThis;
      globalThis.setTimeout = (work, ms, ...rest) => later(work, ms === ${limitMs} ? 25 : ms, ...rest);
      let calls = 0;
      for (const name of ${isExport ? "['link']" : "['link', 'lstat']"}) {
        const real = fs[name];
        fs[name] = (...words) => {
          if (!words.some((word) => String(word).includes('${hangsAt}/'))) return real(...words);
          if (++calls < ${nth}) return real(...words);
          process.stdout.write('hanging');
          return new Promise((resolve) => later(resolve, 1e6));
        };
      }
      syncBuiltinESMExports();`;
      if (!isExport) await rig.export();
      await writeFile(preload, hang);
      await using monitor = await scriptedApi({ status: 200 });
      const metrics = rig.directory;
      const told25 = ['--metrics-dir', metrics, '--ping-url', `${monitor.url}/ping`];
      const words = isExport
        ? rig.exportWords('--checkpoint-size', '1KB', '--concurrency', '1', ...told25)
        : [command, rig.out];
      const running = rig.begin(words, {
        environment: {
          NODE_OPTIONS: `--import=${pathToFileURL(preload).href}`,
          JOBVAULT_LOG_FORMAT: 'json',
        },
      });
      await running.untilStdout(/hanging/);
      running.kill('SIGTERM');
      const { exitCode, stderr } = await running.ended;
      expect(exitCode).toBe(143);
      const last = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as Record<string, string>;
      const told = `ended ${limitMs / 1000} s after the signal, with work left`;
      expect(last).toMatchObject({ level: 'warn', msg: expect.stringContaining(told) as string });
      const [, after] = (last['msg'] ?? '').split(`${told}: `);
      if (saved === undefined) expect(after).toBeUndefined();
      else expect(after).toMatch(saved);
      if (!isExport) return;
      expect(await metricsIn(metrics)).toMatch(/^jobvault_run_exit_code\{.*\} 143$/m);
      expect(monitor.seen.map(({ url }) => url)).toEqual(['/ping/start', '/ping/143']);
      expect((await rig.run(['verify', rig.out])).exitCode).toBe(0);
    },
  );

  it('while it waits for users on stdin ends at once', async () => {
    const running = rig.begin(
      [
        'export',
        '--users-file',
        '-',
        '--base-url',
        rig.emulator.baseUrl,
        '--out',
        rig.out,
        '--log-level',
        'debug',
      ],
      { stdin: null },
    );
    await running.untilStderr(/reading users from stdin/);
    running.kill('SIGINT');
    expect((await running.ended).exitCode).toBe(130);
  });
});

it.each([
  ['thrown', "throw new TypeError('no such thing')"],
  ['rejected', "void Promise.reject(new TypeError('no such thing'))"],
])(
  'a bug that nothing catches ends with the summary, says so, and is told to monitors: %s',
  async (_, mistake) => {
    await using rig = await CliRig.start({ users: 1, sessions: 3, jobs: 2, artifactsPerJob: 0 });
    await using monitor = await scriptedApi({ status: 200 });
    const preload = join(rig.directory, 'mistake.mjs');
    // at the second history: what came before is saved
    await writeFile(
      preload,
      `import { subscribe } from 'node:diagnostics_channel';
        let histories = 0;
        subscribe('undici:request:create', ({ request }) => {
          if (request.path.includes('/history') && ++histories === 2) setImmediate(() => { ${mistake}; });
        });`,
    );
    const words = ['--concurrency', '1', '--json', '--ping-url', `${monitor.url}/ping`];
    const running = rig.begin(rig.exportWords(...words), {
      environment: { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` },
    });
    const { exitCode, stdout, stderr } = await running.ended;
    expect(exitCode, stderr).toBe(1);
    const told =
      /^unexpected error: no such thing\. This is a bug in jobvault \S+: please report it/;
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'failed',
      exit_code: 1,
      error: expect.stringMatching(told),
      sessions: { listed: 3 },
    });
    expect(stderr).toContain('This is a bug in jobvault');
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(monitor.seen.map(({ url }) => url)).toEqual(['/ping/start', '/ping/1']);
    expect((await rig.export()).status).toBe('complete');
  },
);

it(
  'a reader that goes away early is no error and leaves no stack trace',
  fault('F-43'),
  async () => {
    await using rig = await CliRig.start({ users: 1, sessions: 1, jobs: 4 });
    const running = rig.begin(rig.exportWords());
    running.closeStdout();
    expect(await running.ended).toMatchObject({ exitCode: 0 });
    const user = rig.state.userIds()[0]!;
    const show = rig.begin(['show', rig.out, rig.state.sessionIds(user)[0]!]);
    show.closeStdout();
    expect(await show.ended).toMatchObject({ exitCode: 0, stderr: '' });
  },
);
