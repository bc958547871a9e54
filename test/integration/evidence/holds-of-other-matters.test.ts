/** What is made for a request tells of its own holds and of those of no request; of those of other matters how many there are. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { grepArchive } from '../../support/store/grep-archive.js';
import { bagProblems } from '../../support/tables/bag-validator.js';

let people: SearchRig;
let out: string;
const FOR = ['--request', 'Matter 7', '--by', 'Dana'];
const SECRETS = ['whistleblower', 'Mallory', 'Matter 9', 'dropped-accusation', 'audit-of-sales'];
const today = new Date().toISOString().slice(0, 10);

beforeEach(async () => {
  people = await SearchRig.start();
  people.talk('ada', 's-ada', 'Sales', [{ question: 'What of project Falcon?' }]);
  await people.rig.archived();
  ({ out } = people.rig);
  const ok = async (...words: string[]) => {
    const { exitCode, stderr } = await cli(words);
    expect(exitCode, stderr).toBe(0);
  };
  const request = (name: string, reason: string, by: string) =>
    ok('request', 'new', out, name, '--user', 'ada', '--reason', reason, '--by', by);
  await request('Matter 7', 'Art. 15 GDPR', 'Grace');
  await request('Matter 9', 'a whistleblower', 'Mallory');
  await request('Matter 10', 'dropped-accusation', 'Mallory');
  const hold = (...words: string[]) => ok('hold', 'add', out, ...words);
  await hold('--request', 'Matter 7', '--by', 'Dana');
  await hold('--user', 'ada', '--reason', 'retention', '--by', 'Legal');
  await hold('--request', 'Matter 9', '--by', 'Mallory');
  await hold('--request', 'Matter 9', '--by', 'Mallory', '--reason', 'audit-of-sales');
  await hold('--request', 'Matter 9', '--by', 'Mallory', '--session', 's-ada');
  await hold('--request', 'Matter 10', '--by', 'Mallory');
  await ok('hold', 'release', '--yes', out, '--request', 'Matter 10', '--reason', 'Mallory erred');
});
afterEach(() => people[Symbol.asyncDispose]());

/** Those in force: of one that was released nothing is told. */
const OTHERS = '3 holds of other matters bind what is here';

it('in a pack: nothing else of them is in any of its files', async () => {
  const { exitCode, pack } = await handOver(people.rig, ...FOR);
  expect([exitCode, await bagProblems(pack.directory)]).toEqual([0, []]);
  for (const secret of SECRETS) expect(await pack.filesWith(secret), secret).toEqual([]);
  const holds = await pack.page('holds');
  expect(holds.map(({ reason, by }) => [reason, by])).toEqual([
    ['Art. 15 GDPR', 'Grace'],
    ['retention', 'Legal'],
  ]);
  const html = await pack.text('data/index.html');
  expect(/<h2>Holds<\/h2><ul>(.*?)<\/ul>/s.exec(html)?.[1]).toBe(
    [
      `User ada is on hold since ${today}: Art. 15 GDPR (asked by Grace)`,
      `User ada is on hold since ${today}: retention (asked by Legal)`,
    ]
      .map((line) => `<li>${line}</li>`)
      .join(''),
  );
  expect(html).toContain(`<strong>${OTHERS}</strong>`);
  expect(await pack.text('data/README.txt')).toContain(
    `\n  ${OTHERS}: who asked for them, and why, is`,
  );
  expect((await pack.text('data/README.txt')).replaceAll(/\s+/g, ' ')).toContain(
    ' holds.csv holds on these users and conversations: who asked (by), who set them (set_by; empty if the log does not say it), why, from when to when (those for this request, and those for no request); one on a user ',
  );
  expect(await pack.page('index')).toMatchObject([{ session_id: 's-ada', on_hold: 'yes' }]);
  expect(await pack.text('data/data/u/1.js')).toContain(
    `"withheld":"2 holds of other matters bind the user; who asked for them, and why, is not told here"`,
  );
});

it('in a report', async () => {
  const report = join(people.rig.directory, 'report');
  expect((await cli(['report', out, '--out', report, ...FOR])).exitCode).toBe(0);
  expect(await grepArchive(report, SECRETS)).toEqual([]);
  const session = await readFile(join(report, 'data/s/1.js'), 'utf8');
  expect(session).toContain('"reason":"Art. 15 GDPR","by":"Grace"');
  for (const line of [
    '1 hold of another matter binds the session; who asked for it, and why, is not told here',
    '2 holds of other matters bind the user; who asked for them, and why, is not told here',
  ]) {
    expect(session).toContain(`{"withheld":"${line}"}`);
  }
});

it('in a workbook', async () => {
  const file = join(people.rig.directory, 'ada.xlsx');
  expect((await cli(['workbook', out, '--out', file, ...FOR])).exitCode).toBe(0);
  const { sheets } = await readXlsx(await readFile(file));
  const cells = JSON.stringify(sheets);
  for (const secret of SECRETS) expect(cells, secret).not.toContain(secret);
  const rows = sheets[0]?.rows ?? [];
  const told = rows.map((row) => String(row[1]));
  const first = told.findIndex((text) => text.startsWith('2 holds bind what is here'));
  expect(told.slice(first + 1, first + 3)).toEqual([
    `ada: Art. 15 GDPR (asked for by Grace, since ${today})`,
    `ada: retention (asked for by Legal, since ${today})`,
  ]);
  expect(rows.map(([, text]) => text)).toContain(OTHERS);
});

it('but what is made for no request has all of them', async () => {
  const { pack } = await handOver(people.rig, '--user', 'ada');
  expect((await pack.page('holds')).map(({ reason }) => reason)).toEqual([
    'Art. 15 GDPR',
    'retention',
    'a whistleblower',
    'audit-of-sales',
    'a whistleblower',
    'dropped-accusation',
  ]);
  expect(await pack.text('data/README.txt')).not.toContain('of other matters');
});
