/** Who was erased and is not to come back may stand in the users file for ever: whoever else was read, everybody was. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
let out: string;
beforeEach(async () => {
  people = await SearchRig.start();
  people.talk('ada', 'a-sales', 'Sales', [{ question: 'of Falcon' }]);
  people.talk('ben', 'b-1', 'Ben', [{ question: 'Falcon again' }]);
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

interface Night {
  readonly suppressed?: object;
  readonly never_seen: readonly string[];
  readonly newly_never_seen: readonly string[];
  readonly doubtful_list?: string;
}

async function night(...users: string[]): Promise<Night> {
  return JSON.parse((await nightly(...users)).stdout) as Night;
}

const nightly = (...users: string[]) => run(users);

async function run(users: readonly string[], ...flags: string[]) {
  const file = join(people.rig.directory, 'users.csv');
  await writeFile(file, ['user', ...users].join('\n'));
  const service = ['--base-url', people.rig.emulator.baseUrl, '--allow-private-network'];
  return cli(['export', '--out', out, '--users-file', file, ...service, '--json', ...flags]);
}
const erase = (...words: string[]) => cli(['erase', out, '--yes', '--suppress', ...words]);

it('a run that skips somebody has read all whom it may read, and no output says otherwise', async () => {
  await night('ada', 'ben');
  await erase('--user', 'ada');
  expect(await night('ada', 'ben')).toMatchObject({ suppressed: { users: 1, sessions: 0 } });
  const { last_export: last } = await cliJson<{ last_export: object }>(['status', out]);
  expect(last).toMatchObject({
    ...{ outcome: 'complete', users: 1, users_to_read: 1, users_suppressed: 1 },
  });
  const status = await cli(['status', out]);
  expect(status.stdout).toMatch(
    /last export .*Z: 1 user read, no gaps; skipped 1 user: suppressed\n/,
  );
  const searched = await cli(['search', out, 'Falcon']);
  expect([searched.exitCode, searched.stdout]).toEqual([0, expect.stringMatching(/^Complete /)]);
  expect((await cli(['show', out])).stdout).not.toContain('never read');
  const sql = "SELECT outcome FROM runs WHERE kind = 'export' ORDER BY first_commit DESC LIMIT 1";
  expect(await cliJson(['query', out, sql])).toMatchObject({ rows: [{ outcome: 'complete' }] });
});

it('who was never seen is told once, though somebody is skipped', async () => {
  await night('ada', 'ben', 'nobody');
  await erase('--user', 'ada');
  const seen = { never_seen: ['nobody'], newly_never_seen: [] };
  expect(await night('ada', 'ben', 'nobody')).toMatchObject(seen);
  expect(await night('ada', 'ben', 'nobody')).toMatchObject(seen);
});

it('a list is compared with all whom the last one named, also those who were skipped', async () => {
  await night('ada', 'ben');
  await erase('--user', 'ada');
  await night('ada', 'ben');
  expect((await night('ada', 'ben')).doubtful_list).toBeUndefined();
  expect((await night('ben')).doubtful_list).toMatch(
    /^the list of users has 1 user, 50 % of the 2 /,
  );
});

it('a dry run skips whom a run skips, and says so', async () => {
  people.talk('ben', 'b-2', 'Ben', [{ question: 'Falcon, too' }]);
  await night('ada', 'ben');
  await erase('--user', 'ada');
  await erase('--session', 'b-2');
  const planned = await run(['ada', 'ben'], '--dry-run');
  expect(JSON.parse(planned.stdout)).toMatchObject({
    ...{ users: 2, never_seen: [], failed: 0, suppressed: { users: 1, sessions: 1 } },
    ...{ sessions: { listed: 1, archived: 1 } },
  });
});

it('whom a spent budget has left is told apart from who may have been erased since', async () => {
  const others = Array.from({ length: 9 }, (_, n) => `other-${n}`);
  await night('ada', 'ben');
  await people.rig.export({ users: ['ada', 'ben', ...others], maxRequests: 4 });
  const told = async () => {
    const { stdout, exitCode } = await cli(['search', out, 'Falcon']);
    const [, count, rest] =
      /(\d+) of the 11 users of the last export ([^:;\n]*)/.exec(stdout) ?? [];
    return [Number(count), rest, exitCode];
  };
  const [left, ...before] = await told();
  expect([Number(left) > 0, ...before]).toEqual([true, 'were never read', 3]);
  await erase('--user', 'ada');
  expect(await told()).toEqual([Number(left) + 1, 'were never read, or erased since', 3]);
  expect((await cli(['search', out, 'Falcon'])).stdout).not.toContain('no export has read');
});
