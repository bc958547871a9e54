/** The archive keeps a floor for the age of what expires (I-69). */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { EraseRig } from '../../support/rigs/erase-rig.js';

let people: EraseRig;
let out: string;
beforeEach(async () => {
  people = await EraseRig.start();
  people.talk('ann', 'ann-first');
  await people.rig.archived();
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

const floor = (...words: string[]) => cli(['expire', out, '--by', 'Grace', ...words]);
const plan = (age: string) => cli(['expire', out, '--older-than', age, '--dry-run']);

it('expire refuses what is younger than the floor, and says who has set it and why', async () => {
  expect((await plan('1y')).exitCode).toBe(0);
  const set = await floor('--min-retention', '6y', '--reason', 'SEC 17a-4');
  expect([set.exitCode, set.stdout]).toEqual([
    0,
    expect.stringMatching(/^Recorded in commit \d+: everything is kept for at least 2,19\d days\./),
  ]);
  const refused = await plan('1y');
  const today = new Date().toISOString().slice(0, 10);
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining(
      `(set on ${today} by Grace: "SEC 17a-4"), and --older-than is 366 days`,
    ),
  ]);
  expect((await cli(['expire', out, '--older-than', '1y', '--yes'])).exitCode).toBe(2);
  expect((await plan('7y')).exitCode).toBe(0);
  expect((await cli(['verify', out])).exitCode).toBe(0);
});

it('the newest floor counts, also for a reader that begins with a snapshot', async () => {
  await floor('--min-retention', '6y', '--reason', 'SEC 17a-4');
  await people.rig.export();
  expect((await plan('1y')).exitCode).toBe(2);
  const lowered = await floor('--min-retention', '30d', '--reason', 'the policy changed');
  expect(lowered.stdout).toMatch(
    /at least 30 days, before: 2,19\d days \(set on \S+ by Grace: "SEC 17a-4"\)\. /,
  );
  expect((await plan('1y')).exitCode).toBe(0);
  const { stdout } = await cli(['status', out]);
  expect(stdout).toMatch(
    /^ {2}kept at least +30 days \(set on \S+ by Grace: "the policy changed"\)$/m,
  );
  expect(stdout).toMatch(/: least retention changed from 2,19\d days to 30 days by Grace$/m);
  expect(stdout).toMatch(/: least retention changed from none to 2,19\d days by Grace$/m);
});

it('an erasure of a person does not depend on it, and masks a reason that names the person', async () => {
  await floor('--min-retention', '6y', '--reason', 'as ann-first says');
  expect(await cliJson(['erase', out, '--user', 'ann', '--yes'])).toMatchObject({
    status: 'erased',
  });
  expect((await plan('1y')).stderr).toContain('"[erased]"');
});

it.each([
  [['--min-retention', '6y'], '--min-retention needs --reason'],
  [
    ['--min-retention', '6y', '--reason', 'x', '--older-than', '7y'],
    '--min-retention erases nothing',
  ],
  [
    ['--min-retention', '6y', '--reason', 'x', '--dry-run'],
    'leave out --older-than, --user and --dry-run',
  ],
  [[], '--older-than is missing'],
])('refuses %j with exit code 2', async (words, told) => {
  const { exitCode, stderr } = await floor(...words);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(told)]);
});
