/** What is handed over vouches for the tables and images that it counts: one that is lost or altered ends it. */
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
let out: string;
beforeEach(async () => {
  people = await SearchRig.start();
  people.talk('ada', 's-ada', 'Sales', [
    { question: 'sums', table: 'sums.csv', csv: 'name,sum\nnorth,7\n' },
    { question: 'steps', stepTable: 'steps.csv', csv: 'name,step\nsouth,8\n' },
  ]);
  people.talk('ben', 's-ben', 'Ben', [{ question: 'mine', table: 'b.csv', csv: 'own,1\n' }]);
  await people.rig.archived();
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

const NAME = 'Matter 7';
const inRig = (name: string) => join(people.rig.directory, name);

/** The path of the file that has this text. */
async function fileWith(text: string): Promise<string> {
  for (const path of await people.rig.files('artifacts/')) {
    if ((await readFile(join(out, path), 'utf8')).includes(text)) return path;
  }
  throw new Error(`no file has ${text}`);
}

type Damage = readonly [how: string, does: (file: string) => Promise<void>, told: string];
const DAMAGES: readonly Damage[] = [
  ['is lost', (file) => rm(file), 'is missing'],
  ['is shorter', (file) => writeFile(file, 'name\n'), 'has 5 bytes instead of '],
  [
    'is altered, and as long',
    async (file) => {
      const text = await readFile(file, 'utf8');
      await writeFile(file, text.replace(/[78]\n$/, '9\n'));
    },
    'is damaged: its SHA-256 differs',
  ],
];

describe.each(['north', 'south'])('where the table with “%s”', (text) => {
  it.each(DAMAGES)('%s, nothing is handed over and nothing recorded', async (_how, does, told) => {
    const asked = ['--user', 'ada', '--reason', 'Art. 15', '--by', 'Grace'];
    await cli(['request', 'new', out, NAME, ...asked]);
    const path = await fileWith(text);
    await does(join(out, path));
    const before = await readdir(people.rig.directory);
    for (const words of [
      ['workbook', out, '--request', NAME, '--out', inRig('ada.xlsx')],
      ['workbook', out, '--user', 'ada', '--out', inRig('ada.xlsx')],
      ['evidence', out, '--request', NAME, '--out', inRig('pack')],
      ['report', out, '--request', NAME, '--out', inRig('page')],
    ]) {
      const { exitCode, stdout, stderr } = await cli([...words, '--log-format', 'text']);
      expect([words, exitCode, stdout]).toEqual([words, 4, '']);
      expect(stderr).toContain(`${path} ${told}`);
      expect(stderr).toContain('jobvault verify');
    }
    const left = (await readdir(people.rig.directory)).filter((name) => !before.includes(name));
    expect(left.filter((name) => /xlsx/.test(name))).toEqual([]);
    expect(await cliJson(['request', 'show', out, NAME])).toMatchObject({ packs: [] });
    expect((await cli(['verify', out])).exitCode).toBe(4);
    const ofBen = ['--user', 'ben', '--out', inRig('ben.xlsx')];
    expect((await cli(['workbook', out, ...ofBen])).exitCode).toBe(0);
  });
});

it('verify says that the log counts the rows of a lost table, too', async () => {
  const rowsOf = (stdout: string) => /^ {2}rows .*$/m.exec(stdout)?.[0];
  const whole = rowsOf((await cli(['verify', out])).stdout);
  expect(whole).toMatch(/ 3 jobs, \d+ blocks, .*\d [a-z_]+$/);
  const [part = ''] = (await people.rig.files('tables/blocks/')).filter((path) =>
    path.endsWith('.parquet'),
  );
  await rm(join(out, part));
  const { exitCode, stdout } = await cli(['verify', out]);
  expect([exitCode, rowsOf(stdout)]).toEqual([
    4,
    `${whole}: as the log counts them, with those of the files below`,
  ]);
});
