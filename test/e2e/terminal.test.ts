import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/runtime.js';
import { script } from '../services/programs.js';
import { PROGRAM } from '../support/programs/cli-process.js';
import { CliRig } from '../support/rigs/cli-rig.js';
import { oldJob } from '../support/programs/pieced-export.js';
import { fault } from '../support/base/fault.js';

const run = promisify(execFile);
const BAR = /[█░]{10}/;
// eslint-disable-next-line no-control-regex
const COLOUR = /\u001B\[[0-9;]*m/;

describe('an export', () => {
  let rig: CliRig;

  beforeAll(async () => {
    rig = await CliRig.start();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it.skipIf(script === undefined)(
    'shows a moving bar and coloured words on a terminal',
    async () => {
      // longer than the bar's tenth of a second
      rig.emulator.faults.beforeRequest = () => systemClock.sleep(100);
      const words = [...PROGRAM, ...rig.exportWords()];
      // under a pseudo-terminal, for which util-linux has a program
      const { stdout: shown } = await run(script ?? '', ['-qec', words.join(' '), '/dev/null'], {
        cwd: rig.directory,
        env: { PATH: process.env['PATH'], JOBVAULT_API_KEY: 'demo-key', TERM: 'xterm' },
      });
      rig.emulator.faults.beforeRequest = undefined;
      const bars = shown.match(/[█░]{20} \d+ of \d+ conversations/g);
      expect(new Set(bars).size).toBeGreaterThan(1);
      expect(shown).toMatch(COLOUR);
      expect(shown).toMatch(/Complete\S* after /);
      expect(shown).not.toContain('{"level"');
    },
  );

  it.skipIf(script === undefined).each([80, 40])(
    'folds log lines without colours beside its bar at %d columns, and cuts none',
    async (columns) => {
      const { faults } = rig.emulator;
      faults.beforeRequest = () => systemClock.sleep(100);
      faults.api = [{ first: 2, answer: { kind: 'reset', afterBytes: 10 } }];
      const words = [...PROGRAM, ...rig.exportWords('--full')];
      const command = `stty cols ${columns}; ${words.join(' ')}`;
      const { stdout } = await run(script ?? '', ['-qec', command, '/dev/null'], {
        cwd: rig.directory,
        env: {
          PATH: process.env['PATH'],
          JOBVAULT_API_KEY: 'demo-key',
          TERM: 'xterm',
          NO_COLOR: '1',
        },
      });
      faults.beforeRequest = undefined;
      faults.api = [];
      expect(stdout).not.toMatch(COLOUR); // NO_COLOR says so
      expect(stdout).toMatch(BAR);
      expect(stdout).not.toContain('\u001B[?7l'); // a terminal that does not wrap cuts
      // eslint-disable-next-line no-control-regex
      const plain = stdout.replaceAll(/\u001B\[[0-9;?]*[A-Za-z]/g, '\r');
      const lines = plain.split(/[\r\n]+/);
      expect(lines.filter((line) => BAR.test(line) && line.length >= columns)).toEqual([]);
      const logged = lines.filter((line) => !BAR.test(line));
      const tooLong = logged.filter((line) => line.length > columns && line.trim().includes(' '));
      // the summary's numbers, and a command whose path alone is longer
      expect(tooLong.filter((line) => !/^( {2}|jobvault query )/.test(line))).toEqual([]);
      expect(logged.join('').replaceAll(/ {2,}/g, ' ')).toMatch(
        /INFO: could not list sessions: the connection to \S+ broke before the answer was complete \((?:UND_ERR_SOCKET|ECONNRESET)\) \(our trace \S+\); trying again/,
      );
    },
  );

  it('shows lines of JSON and no bar elsewhere', async () => {
    const environment = { JOBVAULT_LOG_FORMAT: '' }; // as where nothing is chosen
    const end = await rig.runProgram(rig.exportWords(), { environment });
    expect(end.stdout + end.stderr).not.toMatch(BAR);
    expect(end.stdout + end.stderr).not.toContain('\u001B');
    for (const line of end.stderr.trim().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({
        level: expect.stringMatching(/^(info|warn)$/),
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        msg: expect.any(String),
      });
    }
  });

  describe('of which nobody reads more than a line', () => {
    beforeAll(() => rig.export());

    it.each([
      ['export', () => rig.exportWords('--full')],
      ['export --help', () => ['export', '--help']],
      ['files', () => ['files', rig.out, 'blocks']],
      [
        'show',
        () => ['show', rig.out, rig.state.sessionIds(rig.state.userIds()[0] ?? '')[0] ?? ''],
      ],
    ])(
      '%s | head -1 shows one line, and no stack of errors',
      fault('F-43'),
      async (_command, words) => {
        const command = [...PROGRAM, ...words()].map((word) => `'${word}'`).join(' ');
        const { stdout, stderr } = await run('sh', ['-c', `${command} | head -1`], {
          cwd: rig.directory,
          env: {
            PATH: process.env['PATH'],
            JOBVAULT_API_KEY: 'demo-key',
            JOBVAULT_LOG_LEVEL: 'warn',
          },
        });
        expect(stdout.trimEnd().split('\n')).toHaveLength(1);
        expect(stderr).toBe('');
      },
    );
  });
});

describe.skipIf(script === undefined)('prune on a terminal', () => {
  let rig: CliRig;

  beforeAll(async () => {
    rig = await CliRig.start({ users: 0 });
    for (const id of ['first', 'second']) {
      const job = rig.state.newJobId(Date.now() - 48 * 3_600_000);
      rig.state.addSession('ann', { id }, [oldJob(job)]);
    }
    await rig.export();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  /** Types the answer once the question is there. */
  const answering = async (answer: string, ...words: string[]) => {
    const place = ['prune', rig.out, '--base-url', rig.emulator.baseUrl, '--rate', '1000'];
    const command = [...PROGRAM, ...place, ...words].join(' ');
    const child = spawn(script ?? '', ['-qec', command, '/dev/null'], {
      cwd: rig.directory,
      env: { PATH: process.env['PATH'], JOBVAULT_API_KEY: 'demo-key', TERM: 'xterm' },
    });
    let shown = '';
    for (const output of [child.stdout, child.stderr]) {
      output.on('data', (data: Buffer) => {
        const wasAsked = shown.includes('[y/N]');
        shown += data.toString();
        if (!wasAsked && shown.includes('[y/N]')) child.stdin.write(`${answer}\n`);
      });
    }
    const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { exitCode, shown };
  };

  it('shows names and dates, asks, and deletes only after a yes', async () => {
    const no = await answering('n', '--session', 'first');
    expect([no.exitCode, rig.state.sessionIds('ann')]).toEqual([7, ['first', 'second']]);
    // folded to the width of the terminal
    expect(no.shown.replaceAll(/\s+/g, ' ')).toMatch(
      /session first "Session first": to delete \(1 question\): its newest job is from \d{4}-/,
    );
    expect(no.shown).toContain('Nothing was deleted: not confirmed');
    const yes = await answering('y', '--session', 'first');
    expect([yes.exitCode, rig.state.sessionIds('ann')]).toEqual([0, ['second']]);
    expect(yes.shown).toContain('1 conversation deleted');
  });

  it('asks nobody where --yes has answered', async () => {
    const { exitCode, shown } = await answering('', '--all', '--yes');
    expect([exitCode, rig.state.sessionIds('ann')]).toEqual([0, []]);
    expect(shown).not.toContain('[y/N]');
  });
});
