/** Questions have numbers where their order is known, and none where it is not: in transcripts and on the page. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataIn } from '../../../src/report/data-script.js';
import type { PieceData, SessionData } from '../../../src/report/page-data.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { EvidencePack } from '../../support/tables/evidence-pack.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
let out: string;
beforeAll(async () => {
  people = await SearchRig.start();
  people.talk('ada', 's-known', 'Known', [{ question: 'First?' }, { question: 'Second?' }]);
  people.talk('ada', 's-odd', 'Odd', [{ id: 'odd-1', question: 'A falcon?' }, { question: 'B?' }]);
  await people.rig.archived();
  out = join(people.rig.directory, 'pack');
  await cli(['evidence', people.rig.out, '--out', out]);
});
afterAll(() => people[Symbol.asyncDispose]());

async function transcriptOf(title: string): Promise<string> {
  const pack = new EvidencePack(out);
  const [path = ''] = (await pack.files()).filter((name) => name.includes(`-${title}-`));
  return pack.text(path);
}

async function dataOf<T>(folder: string, key: string): Promise<T> {
  return dataIn(key, await readFile(join(folder, 'data', `${key}.js`), 'utf8')) as T;
}

it('a transcript numbers questions whose order is known, and no others', async () => {
  expect((await transcriptOf('Known')).match(/^question.* of the conversation/gm)).toEqual([
    'question 1 of the conversation',
    'question 2 of the conversation',
  ]);
  const odd = await transcriptOf('Odd');
  expect(odd.match(/^question.* of the conversation/gm)).toEqual([
    'question of the conversation',
    'question of the conversation',
  ]);
  expect(odd).toContain('the order of its questions is not known; they have no numbers here\n');
});

it('the page of a report or a pack numbers questions whose order is known, and no others', async () => {
  const folder = join(out, 'data');
  const sessions = await Promise.all(
    [1, 2].map((number) => dataOf<SessionData>(folder, `s/${number}`)),
  );
  const told = Object.fromEntries(
    sessions.map(({ id, outline }) => [id, outline.map(({ number }) => number)]),
  );
  expect(told).toEqual({ 's-known': [1, 2], 's-odd': [null, null] });
  const odd = sessions.find(({ id }) => id === 's-odd');
  const { jobs } = await dataOf<PieceData>(folder, `s/${odd?.number}-0`);
  expect(jobs.map(({ number }) => number)).toEqual([null, null]);
});
