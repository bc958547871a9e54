/** A list of users that cannot be right is no success: a sign-in page, ids that nobody knows, a file that was cut. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { metricsIn } from '../../support/base/metrics-folder.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { scriptedApi, type ScriptedApi } from '../../support/http/scripted-api.js';
import { fault } from '../../support/base/fault.js';

let rig: ExportRig;
let monitor: ScriptedApi;

beforeEach(async () => {
  rig = await ExportRig.start({ users: 10, sessions: 1, jobs: 1 });
  monitor = await scriptedApi({ status: 200 });
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await monitor[Symbol.asyncDispose]();
});

const place = () => ['--base-url', rig.emulator.baseUrl, '--out', rig.out, '--rate', '1000'];
const file = () => join(rig.directory, 'users.csv');
const write = (users: readonly string[]) => writeFile(file(), `${users.join('\n')}\n`);
const night = async (...more: string[]) => {
  const before = monitor.seen.length;
  const monitors = ['--metrics-dir', rig.directory, '--ping-url', `${monitor.url}/ping`];
  const words = ['export', ...place(), '--users-file', file(), ...monitors, ...more];
  const { exitCode, stdout, stderr } = await cli([...words, '--log-level', 'warn']);
  const pings = monitor.seen.slice(before).map(({ url }) => url);
  const [, doubtful] =
    /^jobvault_run_doubtful_list\{.*\} (\d)$/m.exec(await metricsIn(rig.directory)) ?? [];
  return { exitCode, headline: stdout.split('\n')[0] ?? '', stderr, pings, doubtful };
};
const doctor = async () => {
  const { exitCode, stdout } = await cli(['doctor', ...place(), '--users-file', file()]);
  return { exitCode, said: stdout };
};

const usersOf = async (): Promise<{
  readonly archived: number;
  readonly states: Readonly<Record<string, string>>;
  readonly said: string;
}> => {
  const { stdout: said } = await cli(['status', rig.out]);
  const { users } = await cliJson<{ users: { total: number } }>(['status', rig.out]);
  const gauges = (await metricsIn(rig.directory)).matchAll(
    /^jobvault_run_users\{.*state="(\w+)"\} ([1-9]\d*)$/gm,
  );
  const states = Object.fromEntries([...gauges].map(([, state = '', n = '']) => [state, n]));
  return { archived: users.total, states, said };
};

const PAGE = [
  '<!DOCTYPE html>',
  '<html><head><title>Sign in</title></head>',
  '<body><form action=/login>',
  '<input name=user>',
  '</form></body></html>',
];

it(
  'a users file that became a sign-in page ends with 3, the reason first, and no success',
  fault('F-153'),
  async () => {
    await write(rig.state.userIds());
    expect(await night()).toMatchObject({
      exitCode: 0,
      doubtful: '0',
      pings: ['/ping/start', '/ping'],
    });
    await write(PAGE);
    const ended = await night();
    const reason =
      'the list of users has "<!DOCTYPE html>" as an id: it looks like a web page; write the users file again';
    expect(ended).toMatchObject({
      exitCode: 3,
      doubtful: '1',
      pings: ['/ping/start', '/ping/3'],
      stderr: expect.stringContaining(reason) as string,
    });
    expect(ended.headline).toMatch(/^FAILED after .*: the list of users has "<!DOCTYPE html>"/);
    const asked = await doctor();
    expect(asked.exitCode).not.toBe(0);
    expect(asked.said).toContain(`FAIL  users         ${reason}`);
  },
);

it(
  'a sign-in page ends with 3 whatever stands in it: commas, quotes that stay open, columns',
  fault('F-153'),
  async () => {
    await write([
      '',
      '<html lang="en">',
      'user_id, name, "open',
      "<script>if (a, \"b) { go('c', d) }</script>",
    ]);
    const ended = await night();
    expect(ended).toMatchObject({ exitCode: 3, doubtful: '1', pings: ['/ping/start', '/ping/3'] });
    expect(ended.stderr).toContain('it looks like a web page; write the users file again');
    expect((await doctor()).said).toContain('it looks like a web page');
  },
);

it('a list of exclusions that became a web page is refused: it would exclude nobody', async () => {
  const exclusions = join(rig.directory, 'excluded.csv');
  await writeFile(exclusions, '<!DOCTYPE html>\n<p>Sign in, "please\n');
  await write(rig.state.userIds());
  const ended = await night('--exclude-users-file', exclusions);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain(`--exclude-users-file ${exclusions} looks like a web page`);
});

it(
  'ids of which the service knows not one end with 3, as with the key of another project',
  fault('F-153'),
  async () => {
    const ids = ['ann', 'ben', 'cy', 'dee', 'eve'].map((name) => `${name}@other.example`);
    await write(ids);
    const ended = await night();
    expect(ended).toMatchObject({ exitCode: 3, doubtful: '1', pings: ['/ping/start', '/ping/3'] });
    expect(ended.headline).toMatch(
      /^FAILED after [^:]*: none of the 5 ids of the list of users is known/,
    );
    const asked = await doctor();
    expect(asked.said).toContain('none of the 5 ids of the list of users is known to the service');
    expect(asked.exitCode).not.toBe(0);
    expect(await night('--allow-unknown-users')).toMatchObject({ exitCode: 0, doubtful: '0' });
  },
);

it(
  'a users file that has lost a large share of the users of late ends with 3 each night',
  fault('F-153'),
  async () => {
    const users = rig.state.userIds();
    await write(users);
    await night();
    await write(users.slice(0, 8));
    expect(await night()).toMatchObject({ exitCode: 0, doubtful: '0' });
    await write(users.slice(0, 1));
    for (let shrunken = 0; shrunken < 2; shrunken++) {
      const ended = await night();
      expect(ended).toMatchObject({
        exitCode: 3,
        doubtful: '1',
        pings: ['/ping/start', '/ping/3'],
      });
      expect(ended.headline).toMatch(
        /: the list of users has 1 user, 10 % of the 10 of a full run of the last 14 days, and --min-users is 80 %/,
      );
    }
    const asked = await doctor();
    expect(asked.said).toContain(
      'FAIL  users         the list of users has 1 user, 10 % of the 10',
    );
    expect(await night('--min-users', '5%')).toMatchObject({ exitCode: 0, doubtful: '0' });
  },
);

it('a users file corrected from two spellings of a user to one has lost nobody', async () => {
  const [first = '', ...others] = rig.state.userIds().slice(0, 3);
  const other = first.toUpperCase();
  await write([first, other, ...others]);
  expect(await night()).toMatchObject({ exitCode: 0, doubtful: '0' });
  await write([first, ...others]);
  expect((await doctor()).said).not.toContain('--min-users');
  expect(await night()).toMatchObject({ exitCode: 0, doubtful: '0' });
  await write([first, other, others[0] ?? '']);
  expect((await night()).headline).toMatch(
    /: the list of users has 2 users, 67 % of the 3 of a full run/,
  );
});

it(
  'ids of a refused list are no users; neither status, metrics nor JSON call its run complete',
  fault('F-153'),
  async () => {
    const users = rig.state.userIds();
    await write(users);
    await night();
    for (const junk of [
      ['login', ...PAGE],
      ['x@other.example', 'y@other.example', 'z@other.example'],
    ]) {
      await write(junk);
      const { stdout } = await cli([
        ...['export', ...place(), '--users-file', file(), '--json', '--metrics-dir', rig.directory],
      ]);
      expect(JSON.parse(stdout)).toMatchObject({
        status: 'failed',
        users: { total: junk.length, failed: junk.length, complete: 0 },
        doubtful_list: expect.any(String) as string,
      });
      const { archived, states, said } = await usersOf();
      expect(archived).toBe(users.length);
      expect(states['failed']).toBe(String(junk.length));
      expect(states['complete']).toBeUndefined();
      expect(said).toMatch(
        new RegExp(`last export .*: FAILED: its list of users .*0 of the ${junk.length} users`),
      );
      expect(said).toContain('FAILED, the list of users was doubtful');
      expect(said).not.toMatch(/all \d+ users read/);
    }
    await write(users);
    expect(await night()).toMatchObject({ exitCode: 0, doubtful: '0' });
    expect((await usersOf()).said).toMatch(/last export .*: all 10 users read, no gaps/);
  },
);

it('a run whose list was refused counts no lost files of users whom it did not read', async () => {
  await using people = await SearchRig.start();
  people.talk('ada', 's-1', 'Sales', [{ question: 'Why?', table: 'lost.csv', csv: null }]);
  await people.rig.export();
  await write(['x@other.example', 'y@other.example']);
  const { baseUrl } = people.rig.emulator;
  const words = ['--base-url', baseUrl, '--out', people.rig.out, '--rate', '1000'];
  const { stdout, exitCode } = await cli(['export', ...words, '--users-file', file()]);
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(
    /^ {2}never seen +2 +[xy]@other.example, [xy]@other.example: not recorded as users$/m,
  );
  expect(stdout).toMatch(/^Next: mend the list of users, then run the same command again\.$/m);
  expect(stdout).toMatch(/^ {2}files +0$/m);
  expect(stdout).toMatch(/^ {2}gaps +1 /m);
});

it('a dry run says of such a list what the run would, and ends with 3', async () => {
  const users = rig.state.userIds();
  const rehearse = (...more: string[]) =>
    cli(['export', ...place(), '--users-file', file(), '--dry-run', ...more]);
  const nobody = users.map((user) => `${user}@other.example`);
  const doubted = { exitCode: 3, reason: expect.any(String) as string };
  const said = async () => {
    const { exitCode, stdout, stderr } = await rehearse();
    const [, reason = null] =
      /^Dry run: nothing was written; a run would fail: (.*)$/m.exec(stdout) ?? [];
    if (reason !== null) expect(stderr).toContain(reason);
    return { exitCode, reason };
  };
  // before there is an archive
  for (const list of [PAGE, nobody]) {
    await write(list);
    expect(await said()).toEqual(doubted);
  }
  await write(users);
  expect(await said()).toEqual({ exitCode: 0, reason: null });
  await night();
  for (const list of [PAGE, nobody, users.slice(0, 3)]) {
    await write(list);
    const { reason } = await said();
    const { headline, stderr } = await night();
    expect([headline, stderr]).toEqual([
      expect.stringContaining(reason ?? 'a reason'),
      expect.stringContaining(reason ?? 'a reason'),
    ]);
  }
  expect((await rehearse('--min-users', '5%')).exitCode).toBe(0);
});

it('a list of whom many have never asked anything is archived with them, as users', async () => {
  const known = rig.state.userIds();
  await write([...known, 'new-1', 'new-2']);
  expect(await night()).toMatchObject({ exitCode: 0, doubtful: '0' });
  expect((await usersOf()).archived).toBe(known.length + 2);
});

it('a run whose list was short is told as failed, though it has read those whom it lists', async () => {
  const users = rig.state.userIds();
  await write(users);
  await night();
  await write(users.slice(0, 3));
  await night();
  const { archived, states, said } = await usersOf();
  expect([archived, states['complete']]).toEqual([10, '3']);
  expect(said).toMatch(/last export .*: FAILED: its list of users .*3 of the 3 users of that list/);
});

it('the key of another project is told so, also where the archive has sessions of the users', async () => {
  await write(rig.state.userIds());
  await night();
  for (const user of rig.state.userIds()) {
    for (const session of rig.state.sessionIds(user)) rig.state.deleteSession(user, session);
  }
  const reason =
    /the service lists none of the 10 archived conversations of 10 users: is this the API key of another project\?/;
  expect(await night()).toMatchObject({
    exitCode: 3,
    doubtful: '1',
    pings: ['/ping/start', '/ping/3'],
    headline: expect.stringMatching(reason) as string,
  });
});

it(
  'a users file that keeps its length, and of whom the service knows half, ends with 3',
  fault('F-153'),
  async () => {
    const users = rig.state.userIds();
    await write(users);
    expect(await night()).toMatchObject({ exitCode: 0, doubtful: '0' });
    await write([...users.slice(0, 5), ...users.slice(5).map((user) => `${user}@other.example`)]);
    const reason =
      'the service knows 5 of the 10 ids of the list of users, 50 % of the 10 of the last full run, and --min-users is 80 %: check the ids';
    for (let nights = 0; nights < 2; nights++) {
      const { stdout } = await cli(['export', ...place(), '--users-file', file(), '--dry-run']);
      expect(stdout).toContain(reason);
      const ended = await night();
      expect(ended).toMatchObject({
        exitCode: 3,
        doubtful: '1',
        pings: ['/ping/start', '/ping/3'],
      });
      expect(ended.headline).toContain(reason);
    }
    expect((await usersOf()).archived).toBe(10);
    expect(await night('--min-users', '50%')).toMatchObject({ exitCode: 0, doubtful: '0' });
    expect(await night()).toMatchObject({ exitCode: 0, doubtful: '0' });
  },
);

it('who was exported by name since counts among those whom the last full run read', async () => {
  const users = rig.state.userIds();
  await write(users);
  await night();
  const named = users.slice(0, 5).flatMap((user) => ['--user', user]);
  expect((await cli(['export', ...place(), ...named])).exitCode).toBe(0);
  await write([...users.slice(0, 5), ...users.slice(5).map((user) => `${user}@other.example`)]);
  const ended = await night();
  expect(ended).toMatchObject({ exitCode: 3, doubtful: '1' });
  expect(ended.headline).toContain('50 % of the 10 of the last full run');
});

it('users may make way for others, and who was exported by name alone is not missed', async () => {
  const users = rig.state.userIds();
  await write(users.slice(0, 5));
  await night();
  for (const user of users.slice(5, 8)) await cli(['export', ...place(), '--user', user]);
  await write([...users.slice(4, 8), 'new-1', 'new-2']);
  expect(await night()).toMatchObject({ exitCode: 0, doubtful: '0' });
});

it.each([
  [12, /none of the 12 ids of the list of users is known/],
  [250, /the service lists no session of 200 users, from all over the list of 250/],
])('the doctor says of %d ids that the service knows none of them', async (count, reason) => {
  const ids = Array.from({ length: count }, (_, at) => `nobody-${at}@other.example`);
  await write(ids);
  const asked = await doctor();
  expect([asked.exitCode, asked.said]).toEqual([2, expect.stringMatching(reason)]);
  expect(asked.said).toContain('Not ready');
  await write([...ids, rig.state.userIds()[0] ?? '']);
  expect((await doctor()).exitCode).toBe(0);
});
