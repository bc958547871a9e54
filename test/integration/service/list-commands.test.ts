/** What the list commands say about what they show. */
import { expect, it } from 'vitest';
import { startEmulator } from '../../../src/emulator/emulator.js';
import { cli, cliOnTerminal } from '../../support/programs/cli-in-process.js';

const user = 'ann';

async function lists(count: number) {
  const emulator = await startEmulator({ users: 0 });
  for (let i = 0; i < count; i++) emulator.state.addSession(user);
  const words = ['sessions', 'list', '--base-url', emulator.baseUrl, '--user', user];
  return {
    emulator,
    list: (...more: string[]) => cli([...words, '--log-level', 'silent', ...more]),
    [Symbol.asyncDispose]: () => emulator.close(),
  };
}

it('sessions list says that every page was read only where that is certain', async () => {
  await using service = await lists(25);
  const whole = await service.list('--all', '--page-size', '10');
  expect([whole.exitCode, whole.stderr]).toEqual([0, '25 sessions, every page read\n']);
  service.emulator.faults.repeatPage = true;
  const doubtful = await service.list('--all', '--page-size', '10');
  expect(doubtful.exitCode).toBe(3);
  expect(doubtful.stderr).toContain('10 sessions, possibly incomplete\n');
  expect(doubtful.stderr).toContain('it is not proven that none is missing');
  expect(doubtful.stderr).not.toContain('every page read');
});

it('sessions list fits a terminal of 80 columns, and cuts no id', async () => {
  await using service = await lists(3);
  const { state, baseUrl } = service.emulator;
  const name = `${'A long name of a session, '.repeat(4)}with its end`;
  const long = state.addSession(user, { name });
  const words = ['sessions', 'list', '--base-url', baseUrl, '--user', user];
  const { stdout } = await cliOnTerminal([...words, '--log-level', 'silent']);
  for (const id of [...state.sessionIds(user), long]) expect(stdout).toContain(id);
  const widths = stdout.split('\n').map((line) => line.length);
  expect(Math.max(...widths)).toBeLessThanOrEqual(80);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('with its end');
});

it('sessions list numbers pages as they were asked for, and tells one that is behind the last', async () => {
  await using service = await lists(25);
  const size = ['--page-size', '10'];
  expect((await service.list(...size, '--page-number', '2')).stderr).toContain('page 2 of 3, 25');
  const far = await service.list(...size, '--page-number', '55034952');
  expect(far).toMatchObject({ exitCode: 0 });
  expect(far.stderr).toContain('page 55034952, after the last page 3');
  service.emulator.faults.echoedPageNumber = () => 55_034_952;
  const odd = await service.list(...size);
  expect(odd.exitCode).toBe(3);
  expect(odd.stderr).toContain('page 1 of 3, 25 sessions in all');
  expect(odd.stderr).toContain('the answer is page 55034952');
});
