/** An answer of megabytes: pages, sheets and transcripts show its beginning and say where all of it is. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseJson } from '../../../src/base/text/parse-json.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { fault } from '../../support/base/fault.js';

const SIGNATURE =
  'X-Amz-Signature=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef';
const SIGNED = `https://files.example/a.csv?${SIGNATURE}`;
const ANSWER = `First words 🎉. ${'The middle, 売上 and so on. '.repeat(80_000)} ${SIGNED} The last-words.`;
const SOURCES = 10_000;

let people: SearchRig;

beforeAll(async () => {
  people = await SearchRig.start();
  const [job = ''] = people.talk('ada', 's-1', 'Long', [
    { question: 'Tell me all.', answer: ANSWER },
  ]);
  people.rig.state.changeJob('ada', 's-1', job, (record) => {
    const { blocks } = record['answer'] as { blocks: object[] };
    const content = Array.from({ length: SOURCES }, (_, index) => ({
      source: `part ${index}.csv`,
      datasource_id: `d-${index}`,
    }));
    const block = { type: 'SOURCES', content, stage: 'Respond', group_id: '', group_name: '' };
    return { ...record, answer: { blocks: [...blocks, block] } };
  });
  await people.rig.export();
});
afterAll(() => people[Symbol.asyncDispose]());

it(
  'a long answer is on the page with its beginning, and as a whole in a file beside it',
  fault('F-84'),
  async () => {
    const out = join(people.rig.directory, 'report');
    await cliJson(['report', people.rig.out, '--out', out]);
    const piece = await readFile(join(out, 'data', 's', '1-0.js'), 'utf8');
    expect(piece.length).toBeLessThan(3_000_000);
    expect(piece).toContain('First words 🎉.');
    expect(piece).not.toContain('The last-words.');
    expect(piece).toContain(
      '"file":"data/texts/1-1.txt","note":"2.4 MB: only the beginning is shown',
    );
    const whole = await readFile(join(out, 'data', 'texts', '1-1.txt'), 'utf8');
    expect(whole.startsWith('\uFEFFFirst words 🎉.')).toBe(true);
    expect(whole.endsWith('The last-words.')).toBe(true);
    expect(whole).toHaveLength(ANSWER.length - SIGNATURE.length);
  },
);

it(
  'a long answer has a list of sources with its first ones, and all of them in a file',
  fault('F-84'),
  async () => {
    const out = join(people.rig.directory, 'report');
    const piece = await readFile(join(out, 'data', 's', '1-0.js'), 'utf8');
    expect(piece).toContain('part 0.csv');
    expect(piece).not.toContain(`part ${SOURCES - 1}.csv`);
    expect(await readdir(join(out, 'data', 'texts'))).toEqual(['1-1.txt', '1-2.json']);
    const whole = parseJson(await readFile(join(out, 'data', 'texts', '1-2.json'), 'utf8'));
    expect(whole).toHaveLength(SOURCES);
  },
);

it(
  'a long answer is in a workbook with its beginning, and says how much more there is',
  fault('F-84'),
  async () => {
    const out = join(people.rig.directory, 'ada.xlsx');
    await cliJson(['workbook', people.rig.out, '--user', 'ada', '--out', out]);
    const { sheets } = await readXlsx(await readFile(out));
    const texts = sheets.find(({ name }) => name === 'long_text')?.rows ?? [];
    const told = texts.map((row) => String(row[3]));
    expect(told.some((text) => text.startsWith('First words 🎉.'))).toBe(true);
    expect(
      told.some((text) => /… \(\d+ more characters: jobvault show has them\)$/.test(text)),
    ).toBe(true);
    expect(told.some((text) => text.includes('The last-words.'))).toBe(false);
    expect(sheets.find(({ name }) => name === 'sources')?.rows).toHaveLength(SOURCES + 1);
  },
);

it(
  'a long answer is in a pack verbatim, and with its beginning in the transcript',
  fault('F-84'),
  async () => {
    const { exitCode, pack } = await handOver(people.rig, '--user', 'ada');
    expect(exitCode).toBe(0);
    const [index = {}] = await pack.page('index');
    const transcript = await pack.text(index['transcript'] ?? '');
    expect(transcript).toContain('First words 🎉.');
    expect(transcript).toMatch(/… \(\d+ more characters: see the record\)/);
    expect(await pack.filesWith('The last-words.')).toEqual([
      'data/data/texts/1-1.txt', // the page links to it
      expect.stringContaining('data/records/'),
    ]);
  },
);

it('an answer of two megabytes is shown as a whole', async () => {
  const { stdout } = await cli(['show', people.rig.out, 's-1']);
  expect(stdout).toContain('First words 🎉.');
  expect(stdout).toContain('The last-words.');
  const line = await cliJson<{ jobs: { blocks: { content_text: string }[] }[] }>([
    ...['show', people.rig.out, 's-1'],
  ]);
  expect(JSON.stringify(line)).toContain('The last-words.');
});
