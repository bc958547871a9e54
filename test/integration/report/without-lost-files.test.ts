/** Where tables are lost for good, a workbook and a report are made without them, and name each. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { caveatCounts } from '../../support/tables/caveat-counts.js';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';

let people: SearchRig;
let out: string;
let ada: string[];
/** By name: where it was. */
let paths: ReadonlyMap<string, string>;

const WITHOUT = '--allow-lost-files';
const inRig = (name: string) => join(people.rig.directory, name);
const pathOf = (name: string) => paths.get(name) ?? '';

beforeAll(async () => {
  people = await SearchRig.start();
  ada = people.talk('ada', 's-ada', 'Sales', [
    { question: 'The condor?', table: 'gone.csv', csv: 'who\ncondor\n' },
    { question: 'What is there?', table: 'altered.csv', csv: 'who\nadler\n' },
    { question: 'And here?', table: 'kept.csv', csv: 'who\nfalcon\n' },
  ]);
  people.talk('ben', 's-ben', 'Costs', [{ question: 'Costs?', table: 'b.csv', csv: 'a\n1\n' }]);
  await people.rig.archived();
  ({ out } = people.rig);
  const sql = 'SELECT name, path FROM current_artifacts';
  const { rows } = await cliJson<{ rows: { name: string; path: string }[] }>(['query', out, sql]);
  paths = new Map(rows.map(({ name, path }) => [name, path]));
});
afterAll(() => people[Symbol.asyncDispose]());

async function lose(): Promise<void> {
  await rm(join(out, pathOf('gone.csv')), { force: true });
  await writeFile(join(out, pathOf('altered.csv')), 'who\nOTTER\n');
}

const nextOf = (archive: string) =>
  `restore the lost files from a copy of the archive, or with jobvault verify ${archive} --repair, and make it again; where neither has them, it is what there is.`;
const reasonOf = (name: string, why: string) =>
  `it was archived, and is lost: in the archive, ${pathOf(name)} ${why}`;
const lineOf = (name: string, job: number) =>
  `ada, “${name}” in “Sales” (session s-ada, job ${ada[job]}): ${pathOf(name)}`;

interface Told {
  readonly caveats: readonly Caveat[];
}

it('a workbook names lost files on its cover and where they stood', async () => {
  await lose();
  const file = inRig('ada.xlsx');
  const words = ['workbook', out, '--out', file, '--user', 'ada'];
  expect((await cli(words)).exitCode).toBe(4);
  const { exitCode, stdout } = await cli([...words, WITHOUT]);
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(/^Not complete: 2 files are lost\nThe workbook of ada is /);
  const { stdout: json } = await cli([...words, WITHOUT, '--json']);
  expect(JSON.parse(json)).toMatchObject({
    status: 'incomplete',
    artifacts: 1,
    next: nextOf(out),
  });
  expect(caveatCounts(JSON.parse(json) as Told)).toEqual({ lost_file: 2 });
  const { sheets } = await readXlsx(await readFile(file));
  const rowsOf = (name: string) => sheets.find((sheet) => sheet.name === name)?.rows ?? [];
  const cover = rowsOf('Cover');
  const lost = cover.findIndex(([, text]) => text === '2 files are lost');
  expect(cover.slice(lost + 1, lost + 3).map((row) => row.slice(0, 2))).toEqual([
    ['', `${lineOf('altered.csv', 1)} is damaged: its SHA-256 differs`],
    ['', `${lineOf('gone.csv', 0)} is missing`],
  ]);
  expect(
    rowsOf('Conversations')
      .slice(1)
      .map((row) => row[4]),
  ).toEqual([
    `gone.csv: ${reasonOf('gone.csv', 'is missing')}`,
    `altered.csv: ${reasonOf('altered.csv', 'is damaged: its SHA-256 differs')}`,
    expect.stringContaining('kept.csv'),
  ]);
});

it('a report names lost files on its first page, and no later report keeps anything of it', async () => {
  await lose();
  const page = inRig('page');
  const words = ['report', out, '--out', page];
  expect((await cli(words)).exitCode).toBe(4);
  const { exitCode, stdout } = await cli([...words, WITHOUT]);
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(/^Not complete: 2 files are lost\nThe report is /);
  const html = await readFile(join(page, 'index.html'), 'utf8');
  expect(html).toContain(`<li>${lineOf('gone.csv', 0)} is missing</li>`);
  expect(html).toContain('<b>2</b> <span>each once; 2 places in answers have none (2 lost)</span>');
  await writeFile(join(out, pathOf('gone.csv')), 'who\ncondor\n');
  await writeFile(join(out, pathOf('altered.csv')), 'who\nadler\n');
  expect(await cliJson(words)).toMatchObject({
    ...{ status: 'complete', caveats: [], artifacts: 4 },
    unchanged: { sessions: 0 },
  });
  expect(await readFile(join(page, 'index.html'), 'utf8')).not.toContain('are lost');
  // one that was whole is not taken for what is there now
  await lose();
  expect(await cliJson([...words, WITHOUT], 3)).toMatchObject({
    ...{ status: 'incomplete', artifacts: 2 },
    unchanged: { sessions: 0, files: 0 },
  });
});

it("a workbook tells gaps from lost files, and has a step's lost table in its row", async () => {
  await using others = await SearchRig.start();
  others.talk('ada', 's-ada', 'Sales', [
    { question: 'The condor?', stepTable: 'raw.csv', csv: 'who\ncondor\n' },
    { question: 'Never?', table: 'never.csv', csv: null },
  ]);
  await others.rig.export();
  const { out: place } = others.rig;
  const sql = "SELECT path FROM current_artifacts WHERE status = 'stored'";
  const { rows } = await cliJson<{ rows: { path: string }[] }>(['query', place, sql]);
  for (const { path } of rows) await rm(join(place, path), { force: true });
  const file = join(others.rig.directory, 'ada.xlsx');
  const words = ['workbook', place, '--user', 'ada', '--out', file, WITHOUT, '--json'];
  const told = JSON.parse((await cli(words)).stdout) as Told;
  expect(caveatCounts(told, 'lost_file', 'gap')).toEqual({ lost_file: 1, gap: 1 });
  const { sheets } = await readXlsx(await readFile(file));
  const rowsOf = (name: string) => sheets.find((sheet) => sheet.name === name)?.rows ?? [];
  expect(rowsOf('Conversations').map((row) => row[4])).toEqual([
    'Files',
    expect.stringMatching(/^raw\.csv: it was archived, and is lost: /),
    expect.stringMatching(/^never\.csv: not archived /),
  ]);
});

it('what is made of a pseudonymised copy, which has no files, has none that is lost', async () => {
  const copy = inRig('copy');
  await writeFile(join(out, pathOf('gone.csv')), 'who\ncondor\n');
  await writeFile(join(out, pathOf('altered.csv')), 'who\nadler\n');
  const key = inRig('pseudonyms.key');
  await writeFile(key, 'k'.repeat(64));
  expect((await cli(['copy', out, copy, '--pseudonymise', key])).exitCode).toBe(0);
  for (const made of [
    ['workbook', copy, '--from', '2000-01-01', '--out', inRig('copy.xlsx')],
    ['report', copy, '--out', inRig('copy-page')],
  ]) {
    const { caveats } = await cliJson<Told>([...made, WITHOUT]);
    expect(caveats.filter(({ severity }) => severity === 'missing')).toEqual([]);
  }
});
