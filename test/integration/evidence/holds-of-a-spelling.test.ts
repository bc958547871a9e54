/** A hold binds every spelling of its user, and is told under the one that it names, also where only another is shown. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
let out: string;
let added: string;
beforeAll(async () => {
  people = await SearchRig.start();
  people.talk('ana', 's-both', 'Sales', [{ id: 'j-1', question: 'What of Falcon?' }]);
  people.talk('Ana', 's-both', 'Sales', [{ id: 'j-1', question: 'What of Falcon?' }]);
  people.talk('ana', 's-ana', 'Plans', [{ id: 'j-2', question: 'Plans of Falcon' }]);
  // in the order in which an archive without a doubt lists them
  await people.rig.export({ users: ['ana', 'Ana'] });
  ({ out } = people.rig);
  const about = ['--user', 'ana', '--user', 'Ana', '--reason', 'Art. 15', '--by', 'Grace'];
  await cli(['request', 'new', out, 'Matter 7', ...about]);
  const words = ['hold', 'add', out, '--user', 'Ana', '--reason', 'audit', '--by', 'Dana'];
  ({ stdout: added } = await cli(words));
});
afterAll(() => people[Symbol.asyncDispose]());

it('hold add and hold list name the other spelling that is held with it', async () => {
  expect(added).toContain('\nHeld with them, as another spelling: user ana\n');
  expect((await cli(['hold', 'list', out])).stdout).toContain(
    'user Ana, with ana as another spelling ',
  );
  expect(await cliJson(['hold', 'list', out])).toMatchObject({
    holds: [{ user_id: 'Ana', other_spellings: ['ana'], same_persons: [] }],
  });
});

it.each([[[]], [['--user', 'ana']], [['--user', 'Ana', '--user', 'ana']]])(
  'status %j tells it under the spelling that it names',
  async (words) => {
    const { stdout } = await cli(['status', out, ...words]);
    expect(stdout).toMatch(/\bAna: audit \(asked for by Dana/);
    expect(stdout).not.toMatch(/\bana: audit /);
  },
);

it.each([[['--user', 'ana']], [['--request', 'Matter 7']]])(
  'a pack of %j tells it under that spelling alone, and once',
  async (words) => {
    const { pack, summary } = await handOver(people.rig, ...words);
    const page = await pack.text('data/index.html');
    expect(page.match(/User Ana is on hold since/g)).toHaveLength(1);
    const told = /\bana(: audit| is on hold)/;
    const caveats = JSON.stringify(summary().caveats);
    for (const text of [page, caveats, await pack.text('data/README.txt')]) {
      expect(text).toMatch(/\bAna: audit \(asked/);
      expect(text).not.toMatch(told);
    }
    expect(await pack.page('holds')).toMatchObject([{ user_id: 'Ana' }]);
  },
);

it('the report for a request tells it once, under that spelling', async () => {
  const report = join(people.rig.directory, 'report');
  await cli(['report', out, '--out', report, '--request', 'Matter 7']);
  const page = await readFile(join(report, 'index.html'), 'utf8');
  const [, card] = /<h2>Holds<\/h2><ul>(.*?)<\/ul>/s.exec(page) ?? [];
  expect(card).toMatch(/^<li>User Ana is on hold since [-\d]+: audit \(asked by Dana\)<\/li>$/);
});
