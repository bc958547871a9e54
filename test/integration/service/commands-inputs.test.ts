import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { cli, cliOnTerminal } from '../../support/programs/cli-in-process.js';

describe('what makes no sense ends before a request is sent:', () => {
  let emulator: Emulator;
  let place: string[];

  beforeAll(async () => {
    emulator = await startEmulator({ users: 1, sessions: 2, jobs: 1 });
    place = ['--base-url', emulator.baseUrl, '--user', emulator.state.userIds()[0]!];
  });
  afterAll(() => emulator.close());

  const long = (length: number) => 'x'.repeat(length);

  it.each<[string, string[], RegExp]>([
    ['a session without a name', ['sessions', 'create'], /--name is missing/],
    ['an empty name', ['sessions', 'create', '--name='], /--name is ""; allowed is a text/],
    ['a long name', ['sessions', 'create', '--name', long(129)], /name has 129 .* at most 128/],
    [
      'a long name of 128 pairs and one',
      ['sessions', 'create', '--name', '😀'.repeat(129)],
      /name has 129 characters/,
    ],
    [
      'an unknown language',
      ['sessions', 'create', '--name', 'n', '--output-language', 'XX'],
      /--output-language is "XX"; allowed is AUTO, EN/,
    ],
    [
      'an unknown mode',
      ['sessions', 'create', '--name', 'n', '--job-mode', 'FAST'],
      /--job-mode is "FAST"; allowed is AUTO, DATA_ANALYTICS/,
    ],
    [
      'too much context',
      ['sessions', 'create', '--name', 'n', '--max-contextual-job-history', '11'],
      /--max-contextual-job-history is "11"; allowed is a whole number from 0 to 10/,
    ],
    [
      'less than no context',
      ['sessions', 'create', '--name', 'n', '--max-contextual-job-history=-1'],
      /--max-contextual-job-history is "-1"/,
    ],
    [
      'another agent',
      ['sessions', 'create', '--name', 'n', '--agent-id', 'X'],
      /--agent-id is "X"; allowed is DATA_ANALYSIS_AGENT/,
    ],
    [
      'a change without the name',
      ['sessions', 'modify', 's1'],
      /--name is missing; give it, or set JOBVAULT_NAME \(the name, of up to/,
    ],
    [
      'a change to a long name',
      ['sessions', 'modify', 's1', '--name', long(129)],
      /at most 128 are allowed/,
    ],
    ['no session id', ['sessions', 'get'], /too few words; allowed is jobvault sessions get/],
    ['an empty session id', ['sessions', 'get', ''], /session id is empty/],
    [
      'an empty id to delete',
      ['sessions', 'delete', '', '--yes', '--without-archive'],
      /session id is empty/,
    ],
    [
      'a deletion without an archive',
      ['sessions', 'delete', 's1', '--yes'],
      /no archive is named.*--out.*--without-archive/,
    ],
    [
      'a deletion with an archive and without',
      ['sessions', 'delete', 's1', '--yes', '--without-archive', '--out', 'a'],
      /a is named as the archive/,
    ],
    [
      'a deletion that nobody confirms',
      ['sessions', 'delete', 's1', '--without-archive'],
      /pass --yes/,
    ],
    ['a dot as an id', ['sessions', 'history', '..'], /session id is ".."/],
    [
      'a long search',
      ['sessions', 'list', '--search', long(129)],
      /--search is .* allowed is a text of 1 to 128 characters/,
    ],
    ['page 0', ['sessions', 'list', '--page-number', '0'], /--page-number is "0"; allowed is/],
    ['pages of nothing', ['sessions', 'list', '--page-size', '0'], /--page-size is "0"/],
    [
      'a page of everything',
      ['sessions', 'list', '--all', '--page-number', '2'],
      /--all and --page-number 2 exclude each other/,
    ],
    ['a dataset without a name', ['datasets', 'create'], /--name is missing/],
    ['a long dataset name', ['datasets', 'create', '--name', long(129)], /at most 128/],
    [
      'a long description',
      ['datasets', 'create', '--name', 'n', '--description', long(5001)],
      /description has 5001 characters .* at most 5000/,
    ],
    ['no change at all', ['datasets', 'modify', 'd1'], /--name, --description or both/],
    [
      'a change to a long description',
      ['datasets', 'modify', 'd1', '--description', long(5001)],
      /at most 5000/,
    ],
    ['an empty dataset id', ['datasets', 'overview', ''], /dataset id is empty/],
    ['an empty id of a status', ['datasets', 'status', ''], /dataset id is empty/],
    ['a dataset that nobody confirms', ['datasets', 'delete', 'd1'], /pass --yes/],
    [
      'a long search for datasets',
      ['datasets', 'list', '--search', long(129)],
      /1 to 128 characters/,
    ],
    ['no time to wait', ['datasets', 'status', 'd1', '--wait', '--timeout', '0s'], /--timeout is/],
  ])('%s', async (_what, words, sentence) => {
    const before = emulator.stats.totalRequests;
    const run = await cli([...words, ...place]);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toMatch(sentence);
    expect(run.stderr).toContain(`Try jobvault ${words[0]!} ${words[1]!} --help.`);
    expect(emulator.stats.totalRequests).toBe(before);
  });

  it.each([
    ['no user', [] as string[], /no user is named.*--user/],
    ['two users', ['--user', 'a', '--user', 'b'], /2 users are named; .* exactly one/],
    ['two users in one', ['--user', 'a,b'], /--user is "a,b"; allowed is one user each time/],
  ])('%s', async (_what, users, sentence) => {
    const run = await cli(['sessions', 'list', '--base-url', emulator.baseUrl, ...users]);
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toMatch(sentence);
  });

  it('allows exactly as much as the interface does', async () => {
    const name = '😀'.repeat(128);
    const create = ['sessions', 'create', '--name', name, '--max-contextual-job-history', '10'];
    expect((await cli([...create, ...place])).exitCode).toBe(0);
    const dataset = ['datasets', 'create', '--name', 'n', '--description', '✓'.repeat(5000)];
    expect((await cli([...dataset, ...place])).exitCode).toBe(0);
  });

  it('names the command that was probably meant', async () => {
    const { exitCode, stderr } = await cli(['sessions', 'lsit']);
    expect([exitCode, stderr]).toEqual([
      2,
      'jobvault: unknown command "sessions lsit"; did you mean sessions list?\nTry jobvault sessions --help.\n',
    ]);
    expect((await cli(['datasets', 'history'])).stderr).toContain(
      'unknown command "datasets history"; allowed are list, overview, create, modify, delete, status',
    );
    expect((await cli(['sessions', 'list', '--pagesize', '3'])).stderr).toContain(
      'unknown flag --pagesize of sessions list; did you mean --page-size?',
    );
  });

  it('asks on a terminal what is to be deleted, and takes only a yes for a yes', async () => {
    const session = emulator.state.addSession(emulator.state.userIds()[0]!, { name: 'Old "one"' });
    const words = ['sessions', 'delete', session, '--without-archive', ...place];
    for (const stdin of ['', '\n', 'n\n', 'yess\n']) {
      const run = await cliOnTerminal(words, { stdin });
      expect(run).toMatchObject({ exitCode: 7, stdout: '' });
      expect(run.stderr).toContain(`Delete session ${session} "Old \\"one\\""`);
      expect(run.stderr).toContain('Nothing was deleted.');
      expect(run.stderr).toMatch(/^--without-archive: no holds are checked\.\n/);
    }
    expect(emulator.stats.requests.deleteSession).toBe(0);
    expect(await cliOnTerminal(words, { stdin: 'Yes\n' })).toMatchObject({ exitCode: 0 });
    expect(emulator.stats.requests.deleteSession).toBe(1);
  });

  it('tells how much goes with a dataset', async () => {
    const [user = ''] = emulator.state.userIds();
    const [some] = emulator.state.datasets();
    const counts = { synched_count: 3, invalid_count: 1, synching_count: 0 };
    emulator.state.putDataset({ ...some!, ...counts, id: 'd1', creator: user });
    const words = ['datasets', 'delete', 'd1', ...place];
    const run = await cliOnTerminal(words, { stdin: 'y\n' });
    expect(run.stderr).toContain('and its 4 data sources? This cannot be undone. [y/N]');
    expect(run.stdout).toBe('Deleted d1.\n');
  });
});
