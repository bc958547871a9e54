/** What is missing is counted alike wherever it is told: on a page, in its lists, in a pack's tables and on a workbook's cover. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { CaveatsRig, SEARCH } from '../../support/rigs/caveats-rig.js';
import { EvidencePack } from '../../support/tables/evidence-pack.js';

let rig: CaveatsRig;
let places = 0;
beforeAll(async () => {
  rig = await CaveatsRig.start();
}, 60_000);
afterAll(() => rig[Symbol.asyncDispose]());

async function make(made: string, ...words: readonly string[]) {
  const out = rig.beside(`made-${++places}${made === 'workbook' ? '.xlsx' : ''}`);
  const given = [made, rig.out, ...words, '--allow-lost-files', '--out', out, '--json'];
  const { stdout } = await cli(given);
  const { caveats } = JSON.parse(stdout) as { caveats: readonly Caveat[] };
  return { out, data: made === 'evidence' ? join(out, 'data') : out, caveats };
}

it.each([
  ['report', []],
  ['report', SEARCH],
  ['evidence', ['--user', 'ada', ...SEARCH]],
  ['evidence', ['--session', 's-1']],
])('the page of a %s has as many points as the cards above (%j)', async (made, words) => {
  const { data, caveats } = await make(made, ...words);
  const html = await readFile(join(data, 'index.html'), 'utf8');
  const told = caveats.filter(({ severity }) => severity !== 'note');
  expect(html).toContain(`<dt>Missing or in doubt (kinds)</dt><dd><b>${told.length}</b>`);
  const cards = /<section class="card notes (?:missing|doubt)">.*?<\/section>/gs;
  const points = [...html.matchAll(cards)].flatMap(([card]) => [...card.matchAll(/<li><strong>/g)]);
  expect(points).toHaveLength(told.length);
});

it('a lost file is no gap in any output, and counts once', async () => {
  const counted = { gaps: '1', lost_files: '1' };
  const { out, data, caveats } = await make('evidence', '--session', 's-1');
  expect(caveats.map(({ kind, count }) => [kind, count])).toContainEqual(['lost_file', 1]);
  expect(caveats.map(({ kind, count }) => [kind, count])).toContainEqual(['gap', 1]);
  const pack = new EvidencePack(out);
  expect(await pack.page('summary')).toMatchObject([counted]);
  expect(await pack.page('index')).toMatchObject([counted]);
  const report = await make('report', '--session', 's-1');
  for (const place of [data, report.data]) {
    const people = await readFile(join(place, 'data/people.js'), 'utf8');
    expect(people).toContain(
      '"gaps":1,"doubts":0,"accepted_gaps":0,"accepted_doubts":0,"lost_files":1',
    );
  }
  const book = await make('workbook', '--user', 'ada', '--user', 'ben');
  const { sheets } = await readXlsx(await readFile(book.out));
  const cover = JSON.stringify(sheets[0]?.rows);
  expect(cover).toContain(', 1 lost file, 1 gap, 1 doubt, 1 accepted gap');
});
