/** An erasure of what is on hold is refused as a whole. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, type CliRun } from '../../support/programs/cli-in-process.js';
import { EraseRig } from '../../support/rigs/erase-rig.js';
import { fault } from '../../support/base/fault.js';

let people: EraseRig;
beforeEach(async () => {
  people = await EraseRig.start();
  for (const user of ['ann', 'ben']) people.talk(user, `${user}-first`);
  await people.rig.archived();
});
afterEach(() => people[Symbol.asyncDispose]());

async function eraseHolding(holds: string, ...words: string[]): Promise<CliRun> {
  const file = join(people.rig.directory, 'holds.txt');
  await writeFile(file, holds);
  return cli(['erase', people.rig.out, '--yes', '--hold-file', file, ...words]);
}

it.each([
  [
    'ann # legal hold',
    ['--user', 'ann'],
    /user "ann" is not erased: the user is on hold: --hold-file \S+, line 1 \("ann # legal hold"\); nothing was changed\n/,
  ],
  [
    'ben,ben-first\nann-first',
    ['--user', 'ann'],
    /is not erased: the session is on hold: --hold-file \S+, line 2 \("ann-first"\); nothing was changed\n/,
  ],
  [
    'ann,ann-first',
    ['--session', 'ann-first'],
    /is not erased: the session is on hold: --hold-file/,
  ],
  ['ann', ['--session', 'ann-first'], /is not erased: its user is on hold: --hold-file/],
  [
    'ann',
    ['--user', 'ben', '--user', 'ann', '--dry-run'],
    /user "ann" is not erased: the user is on hold: --hold-file/,
  ],
])('where %j is held and %j are to go: exit code 7', fault('F-52'), async (holds, words, told) => {
  const before = await people.rig.files('');
  const { exitCode, stderr } = await eraseHolding(holds, ...words);
  expect([exitCode, stderr]).toEqual([7, expect.stringMatching(told)]);
  expect(stderr).toContain('Next: ask whoever keeps that file whether the hold has ended;');
  expect(await people.rig.files('')).toEqual(before);
});

it('names the hold of the log that refuses it', async () => {
  const { out } = people.rig;
  const matter = ['--reason', 'Matter 7', '--by', 'Grace'];
  await cli(['hold', 'add', out, '--user', 'ann', ...matter]);
  const { exitCode, stderr } = await cli(['erase', out, '--yes', '--session', 'ann-first']);
  const day = new Date().toISOString().slice(0, 10);
  expect(stderr).toContain(
    `Next: jobvault hold list ${people.rig.out} names the holds, with who asked and why: ask them whether a hold has ended before anybody releases it.\n`,
  );
  expect([exitCode, stderr.split('\n')[0]]).toEqual([
    7,
    `jobvault: session "ann-first" of "ann" is not erased: its user is on hold: the hold of ${day} that Grace asked for ("Matter 7"); nothing was changed`,
  ]);
});

it('names all that is held, those of one hold together, up to ten', async () => {
  const { out } = people.rig;
  for (const count of [2, 3]) people.talk('ann', `ann-${count}`);
  for (let count = 1; count <= 9; count++) people.talk(`user-${count}`, `s-${count}`);
  await people.rig.export();
  const matter = ['--reason', 'Matter 7', '--by', 'Grace'];
  await cli(['hold', 'add', out, '--user', 'ann', ...matter]);
  await cli(['hold', 'add', out, '--session', 'ben-first', '--reason', 'Matter 8', '--by', 'Dana']);
  const ids = ['ann-2', 'ann-3', 'ben-first', 's-1'].flatMap((id) => ['--session', id]);
  const { exitCode, stderr } = await cli(['erase', out, '--dry-run', ...ids]);
  const day = new Date().toISOString().slice(0, 10);
  expect([exitCode, stderr.split('\n')[0]]).toEqual([
    7,
    `jobvault: 3 are on hold and not erased: session "ann-2" of "ann", session "ann-3" of "ann": its user is on hold: the hold of ${day} that Grace asked for ("Matter 7"); session "ben-first" of "ben": the session is on hold: the hold of ${day} that Dana asked for ("Matter 8"); nothing was changed`,
  ]);
  const users = ['ann', 'ben', ...Array.from({ length: 9 }, (_one, n) => `user-${n + 1}`)];
  await cli(['hold', 'add', out, ...users.slice(1).flatMap((id) => ['--user', id]), ...matter]);
  const all = await cli(['erase', out, '--dry-run', ...users.flatMap((id) => ['--user', id])]);
  const line = all.stderr.split('\n')[0] ?? '';
  expect(line.replace(/: the user is on hold: .*/, '')).toBe(
    `jobvault: 11 are on hold and not erased: ${users
      .slice(0, 10)
      .map((id) => `user "${id}"`)
      .join(', ')}`,
  );
  expect(line).toMatch(/; and 1 more; nothing was changed$/);
});

it('says for which request a user is held', async () => {
  const { out } = people.rig;
  const matter = ['--reason', 'Matter 7', '--by', 'Grace'];
  await cli(['request', 'new', out, '12 Ca 345/26', '--user', 'ann', ...matter]);
  await cli(['hold', 'add', out, '--request', '12 Ca 345/26', ...matter]);
  const { stderr } = await cli(['erase', out, '--yes', '--user', 'ann']);
  const day = new Date().toISOString().slice(0, 10);
  expect(stderr.split('\n')[0]).toBe(
    `jobvault: user "ann" is not erased: the user is on hold: the hold of ${day} that Grace asked for ("Matter 7", for request "12 Ca 345/26", which is open); nothing was changed`,
  );
});

it('goes on for others, but not beside a hold that matches nothing', fault('F-52'), async () => {
  const misspelt = await eraseHolding('anne', '--user', 'ben');
  expect([misspelt.exitCode, misspelt.stderr]).toEqual([
    2,
    expect.stringContaining('line 1 ("anne") matches no user and no session of'),
  ]);
  expect((await eraseHolding('ann', '--user', 'ben')).exitCode).toBe(0);
  const allowed = await eraseHolding('ben', '--user', 'ann', '--allow-unknown-holds');
  expect(allowed.exitCode).toBe(0);
});
