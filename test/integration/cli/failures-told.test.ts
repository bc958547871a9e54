/** What a command that fails tells: in the log's own format on stderr, and in the line of `--json`. */
import { readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../../src/cli/run-cli.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { testTerminal, type TestTerminal } from '../../support/programs/test-terminal.js';
import { fault } from '../../support/base/fault.js';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const NDJSON = { JOBVAULT_API_KEY: 'demo-key', JOBVAULT_LOG_FORMAT: '' }; // as where nothing is chosen

interface LogLine {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
  readonly code?: string;
  readonly help?: string;
  readonly next?: string;
}

describe('a failure', () => {
  let rig: ExportRig;

  beforeAll(async () => {
    rig = await ExportRig.start({ rateLimit: 0 });
    for (let session = 0; session < 6; session++) {
      const id = rig.state.addSession('ann');
      rig.state.addJob('ann', id, oldJob(rig.state.newJobId(Date.now() - 86_400_000)));
    }
  });
  afterAll(() => rig[Symbol.asyncDispose]());
  beforeEach(() => {
    rig.emulator.faults.api = [];
    rig.emulator.faults.beforeRequest = undefined;
  });

  const exportWords = (...more: string[]) => [
    'export',
    '--base-url',
    rig.emulator.baseUrl,
    '--out',
    rig.out,
    '--user',
    'ann',
    '--rate',
    '1000',
    ...more,
  ];

  const run = async (
    words: readonly string[],
    change: (terminal: TestTerminal) => TestTerminal = (terminal) => terminal,
    environment: Readonly<Record<string, string>> = NDJSON,
  ) => {
    const terminal = change(testTerminal({ arguments: words, environment }));
    const exitCode = await runCli(terminal);
    const { stdout, stderr } = terminal.told;
    const lines = stderr.split('\n').filter((line) => line !== '');
    return { exitCode, stdout, stderr, lines };
  };

  /** Every line must be one of NDJSON. */
  const log = (lines: readonly string[]): LogLine[] => {
    const parsed = lines.map((line) => JSON.parse(line) as LogLine);
    for (const line of parsed) {
      expect(line).toMatchObject({ level: expect.any(String), time: expect.stringMatching(ISO) });
    }
    return parsed;
  };

  it('is the last line of the log, as NDJSON where the log is', async () => {
    const { exitCode, lines } = await run(exportWords(), undefined, {
      ...NDJSON,
      JOBVAULT_API_KEY: 'wrong-key',
    });
    expect(exitCode).toBe(6);
    const last = log(lines).at(-1);
    expect(last).toMatchObject({ level: 'error', code: 'SERVICE_AUTHENTICATION' });
    expect(last?.msg).toContain('API key');
    expect(last?.next).toMatch(/^check the key in JOBVAULT_API_KEY; /);
  });

  it('of a command line is such a line, too, and names the help', async () => {
    const { exitCode, lines, stdout } = await run(['export', '--usr', 'ann', '--json']);
    expect(exitCode).toBe(2);
    const msg = 'unknown flag --usr of export; did you mean --user?';
    expect(log(lines)).toMatchObject([{ level: 'error', msg, help: 'jobvault export' }]);
    expect(JSON.parse(stdout)).toEqual({ status: 'failed', exit_code: 2, error: msg });
  });

  it('is a sentence where the log is text', async () => {
    const { stderr } = await run(['export', '--usr', 'ann'], undefined, {});
    expect(stderr).toBe(
      'jobvault: unknown flag --usr of export; did you mean --user?\nTry jobvault export --help.\n',
    );
  });

  it('is in the line of --json with what the run has done', async () => {
    rig.emulator.faults.beforeRequest = ({ operation }) => {
      if (operation !== 'getHistory') return;
      rig.emulator.faults.api = [{ answer: { kind: 'error', status: 403, code: 1002 } }];
    };
    const { exitCode, stdout } = await run(exportWords('--json', '--concurrency', '1'));
    expect(exitCode).toBe(6);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'failed',
      exit_code: 6,
      sessions: { listed: 6 },
      error: expect.stringContaining('expired'),
      next: expect.stringMatching(/^check the key in JOBVAULT_API_KEY; /),
    });
  });

  it('opens the summary for people with its reason', fault('F-69'), async () => {
    rig.emulator.faults.beforeRequest = ({ operation }) => {
      if (operation !== 'getHistory') return;
      rig.emulator.faults.api = [{ answer: { kind: 'error', status: 403, code: 1002 } }];
    };
    const { stdout } = await run(exportWords('--concurrency', '1'));
    expect(stdout).toMatch(/^Failed after [\d.]+ m?s: .*expired.*\n/);
    expect(stdout).not.toContain('nothing is missing');
  });

  it('by an interruption has its exit code and reason in the line', async () => {
    const stop = new AbortController();
    rig.emulator.faults.beforeRequest = ({ operation }) => {
      if (operation === 'getHistory') stop.abort(new Error('stopped by SIGTERM'));
    };
    const { exitCode, stdout } = await run(exportWords('--json'), (terminal) => ({
      ...terminal,
      interruption: {
        signal: stop.signal,
        get exitCode() {
          return stop.signal.aborted ? 143 : undefined;
        },
      },
    }));
    expect(exitCode).toBe(143);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'interrupted',
      exit_code: 143,
      error: 'stopped by SIGTERM',
    });
  });

  it('of a command that has no summary yet is told where it was interrupted', async () => {
    const place = ['--base-url', rig.emulator.baseUrl, '--user', 'ann'];
    const listing = ['sessions', 'list', ...place, '--json'];
    const signal = AbortSignal.abort(new Error('stopped by SIGINT'));
    const { exitCode, stdout, lines } = await run(listing, (terminal) => ({
      ...terminal,
      interruption: { signal, exitCode: 130 },
    }));
    expect(exitCode).toBe(130);
    expect(log(lines)).toMatchObject([{ level: 'warn', msg: 'stopped by SIGINT' }]);
    expect(JSON.parse(stdout)).toEqual({
      status: 'interrupted',
      exit_code: 130,
      error: 'stopped by SIGINT',
    });
  });

  it('that nobody foresaw says that it is a bug, and shows its stack in the log alone', async () => {
    const stop = new AbortController();
    const crash = { error: new TypeError('no such thing') };
    rig.emulator.faults.beforeRequest = ({ operation }) => {
      if (operation === 'getHistory') stop.abort(crash.error);
    };
    const crashing = (terminal: TestTerminal): TestTerminal => ({
      ...terminal,
      interruption: {
        signal: stop.signal,
        get exitCode() {
          return stop.signal.aborted ? 1 : undefined;
        },
        get crash() {
          return stop.signal.aborted ? crash : undefined;
        },
      },
    });
    const { exitCode, stdout, lines } = await run(
      exportWords('--json', '--full', '--log-level', 'debug'),
      crashing,
    );
    expect(exitCode).toBe(1);
    const told = log(lines);
    expect(told.at(-1)?.msg).toMatch(
      /^unexpected error: no such thing\. This is a bug in jobvault \S+: please report it .*debug$/,
    );
    expect(told.filter((line) => 'stack' in line)).toMatchObject([{ level: 'debug' }]);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'failed',
      exit_code: 1,
      error: told.at(-1)?.msg,
    });
    const quiet = await run(exportWords('--full'), crashing);
    expect(quiet.stderr).not.toMatch(/\n?\s+at |stack/);
  });

  it('of an archive is in the line of verify --json', async () => {
    await using other = await ExportRig.start({ users: 1, sessions: 1, jobs: 2 });
    await other.archived();
    const [path = ''] = (await readdir(join(other.out, 'tables'), { recursive: true })).filter(
      (one) => one.includes('dt=') && one.endsWith('.parquet'),
    );
    await truncate(join(other.out, 'tables', path), 20);
    const { exitCode, stdout } = await run(['verify', other.out, '--json']);
    expect(exitCode).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ exit_code: 4, error: 'the archive is damaged' });
  });

  it('that passes is one line of level info each time, and one when it is over', async () => {
    const answer = { kind: 'error', status: 500, code: 9999 } as const;
    rig.emulator.faults.api = [{ operations: ['listSessions'], first: 2, answer }];
    const { exitCode, lines } = await run(exportWords());
    expect(exitCode).toBe(0);
    const told = log(lines);
    const retries = told.filter(({ msg }) => msg.includes('; trying again'));
    expect(retries.map(({ level }) => level)).toEqual(['info', 'info']);
    expect(told.filter(({ msg }) => msg === 'answered after 3 attempts')).toMatchObject([
      { level: 'info' },
    ]);
    expect(told.filter(({ level }) => level === 'warn')).toEqual([]);
  });
});
