/** The plan of an erasure names every text of the log that becomes `[erased]`; its receipt counts the same ones. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { EraseSummary } from '../../../src/rewrite/erasure/erase-options.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
let out: string;
beforeEach(async () => {
  people = await SearchRig.start();
  people.talk('ada', 'a-1', 'Ada', [{ question: 'of Falcon' }]);
  people.talk('ben', 'b-1', 'Ben', [{ question: 'Falcon again', table: 'lost', csv: null }]);
  people.talk('cyd', 'c-1', 'Cyd', [{ question: 'Falcon' }]);
  await people.rig.archived();
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

const erase = (user: string) => [
  'erase',
  out,
  '--user',
  user,
  '--reason',
  'Art. 17',
  '--by',
  'DPO',
];
const fieldsOf = ({ texts_erased: texts }: EraseSummary, kind: string) =>
  texts
    .filter((place) => place.kind === kind)
    .map(({ name, field, count }) => [name, field, count]);

/** Every text of the log that is `[erased]` and stands where people write. */
async function erasedInLog(): Promise<number> {
  const TEXTS = /"(?:reason|by|set_by|name|match|search)":\s*"\[erased\]"/g;
  const log = join(out, '_commits');
  const names = (await readdir(log)).filter((name) => name.endsWith('.json'));
  const commits = await Promise.all(names.map((name) => readFile(join(log, name), 'utf8')));
  return commits.join('\n').match(TEXTS)?.length ?? 0;
}

async function write(): Promise<void> {
  const why = ['--reason', 'Matter 9', '--by', 'Dana'];
  const request = (name: string, ...words: string[]) =>
    cli(['request', 'new', out, name, '--user', 'ben', ...words]);
  await request('Complaint of Ada', ...why);
  await request('R2', '--reason', 'as R1, of ada', '--by', 'Ada herself', '--match', 'falcon');
  await cli(['search', out, '--request', 'R2', '--by', 'Ada (intern)']);
  await cli(['search', out, '--request', 'R2', '--by', 'Ada (intern)']);
  const decide = ['request', 'decide', out, 'R2', 'withhold', '--session', 'b-1'];
  await cli([...decide, '--reason', 'speaks of ada', '--by', 'Ada']);
  await cli(['hold', 'add', out, '--user', 'ben', '--reason', 'suit of Ada', '--by', 'Dana']);
  await cli(['request', 'close', out, 'R2', '--reason', 'told Ada', '--by', 'Ada']);
  await cli(['request', 'close', out, 'Complaint of Ada', ...why]);
  const release = ['hold', 'release', out, '--user', 'ben', '--yes'];
  await cli([...release, '--reason', 'Ada agreed', '--by', 'Dana']);
  await cli([
    'gap',
    'accept',
    out,
    '--user',
    'ben',
    '--yes',
    '--reason',
    'Ada knows',
    '--by',
    'A.',
  ]);
  await cli(['expire', out, '--min-retention', '6y', '--reason', 'SEC', '--by', 'Ada']);
  const earlier = ['erase', out, '--user', 'cyd', '--suppress', '--yes'];
  await cli([...earlier, '--reason', 'asked of Ada', '--by', 'Ada']);
  await people.rig.export({ search: 'report of ada' });
}

it('names each, in plan and result, and the receipt counts as many', async () => {
  await write();
  expect(await erasedInLog()).toBe(0);
  const plan = await cliJson<EraseSummary>([...erase('ada'), '--dry-run']);
  expect(fieldsOf(plan, 'request')).toEqual([
    ['Complaint of Ada', 'name', 1],
    ['R2', 'reason', 1],
    ['R2', 'by', 1],
    ['R2', 'search.by', 2],
    ['R2', 'decide.reason', 1],
    ['R2', 'decide.by', 1],
    ['R2', 'close.reason', 1],
    ['R2', 'close.by', 1],
  ]);
  expect(fieldsOf(plan, 'hold')).toEqual([
    ['ben', 'reason', 1],
    ['ben', 'release.reason', 1],
  ]);
  expect(fieldsOf(plan, 'gap')).toEqual([[null, 'reason', 1]]);
  expect(fieldsOf(plan, 'retention')).toEqual([[null, 'by', 1]]);
  expect(fieldsOf(plan, 'receipt')).toEqual([
    [null, 'reason', 1],
    [null, 'by', 1],
  ]);
  expect(fieldsOf(plan, 'run')).toEqual([[null, 'search', 1]]);
  const count = plan.texts_erased.reduce((sum, place) => sum + place.count, 0);
  const told = await cli([...erase('ada'), '--dry-run']);
  expect(told.stdout).toContain(
    `${count} texts of the log become [erased], as they name what goes, or are the words of a request about it:\n    request “Complaint of Ada”: name\n    request “R2”: reason, who, search: who (2), decide: reason, decide: who, close: reason, close: who\n`,
  );
  const done = await cli([...erase('ada'), '--yes', '--json']);
  expect(JSON.parse(done.stdout)).toMatchObject({ texts_erased: plan.texts_erased });
  expect(await erasedInLog()).toBe(count);
  expect(await cliJson(['erase', out, '--list'])).toMatchObject({
    erasures: [{ texts: 0 }, { texts: count }],
  });
  expect((await cli(['erase', out, '--list'])).stdout).toContain(
    `; ${count} texts became [erased]`,
  );
});

const leftIn = async (...words: string[]) =>
  (await cliJson<EraseSummary>(['erase', out, ...words, '--dry-run'])).texts_left;

it('lists of others what names the owner of conversations that go, where the owner stays', async () => {
  const asked = ['--reason', 'as Ada asked', '--by', 'Dana'];
  const about = ['--user', 'ben', '--match', '"Ada knows"'];
  await cli(['request', 'new', out, 'Audit Q2', ...about, ...asked]);
  await cli(['hold', 'add', out, '--user', 'ben', '--reason', 'suit of Ada', '--by', 'Dana']);
  const named = [
    { kind: 'request', texts: ['as Ada asked', '"Ada knows"'] },
    { kind: 'hold', texts: ['suit of Ada'] },
  ];
  expect(await leftIn('--session', 'a-1')).toEqual(named);
  // as a whole, they become [erased]
  expect(await leftIn('--user', 'ada')).toEqual([]);
  expect(await leftIn('--session', 'c-1')).toEqual([]);
});

it('says once of a request that nothing can be made for it any more', async () => {
  const asked = ['--reason', 'Audit', '--by', 'Dana'];
  await cli(['request', 'new', out, 'Audit Q2', '--match', 'ada', ...asked]);
  const lost = async (user: string) =>
    (await cli([...erase(user), '--dry-run'])).stdout.replaceAll(/\s+/g, ' ');
  expect(await lost('ada')).toContain('nothing can be made for “Audit Q2” any more');
  await cli([...erase('ada'), '--yes']);
  expect(await lost('ben')).not.toContain('open request');
});

it('counts no text again that an earlier erasure has taken', async () => {
  await write();
  await cli([...erase('ada'), '--yes']);
  const plan = await cliJson<EraseSummary>([...erase('ben'), '--dry-run']);
  // the words of a request about ben
  expect(fieldsOf(plan, 'request')).toEqual([
    ['R2', 'match', 1],
    ['R2', 'search.match', 2],
  ]);
  const before = await erasedInLog();
  const count = plan.texts_erased.reduce((sum, place) => sum + place.count, 0);
  await cli([...erase('ben'), '--yes']);
  // his accepted gap goes as a whole
  expect(await erasedInLog()).toBe(before + count - 1);
});
