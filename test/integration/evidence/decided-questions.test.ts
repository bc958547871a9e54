/** What a pack, a report and a workbook say of a conversation with a withheld and a redacted question. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PieceData } from '../../../src/report/page-data.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const NAME = 'Matter 7';
const SAID = /^Redacted: third party \(by Dana, \d{4}-\d\d-\d\d\)$/;

let people: SearchRig;
let made: Readonly<Record<'pack' | 'report', string>>;
let redacted: string;
beforeAll(async () => {
  people = await SearchRig.start();
  const [, withheld = '', third = ''] = people.talk('ada', 's-1', 'Sales', [
    { question: 'falcon one' },
    { question: 'falcon two' },
    { question: 'falcon three', answer: 'A falcon', code: 'falcon = 3' },
    { question: 'falcon four' },
  ]);
  redacted = third;
  await people.rig.archived();
  const { out, directory } = people.rig;
  const asked = ['--user', 'ada', '--match', 'falcon', '--by', 'Grace', '--reason', 'Art. 15'];
  await cli(['request', 'new', out, NAME, ...asked]);
  for (const [decision, job, reason] of [
    ['withhold', withheld, 'privileged'],
    ['redact', redacted, 'third party'],
  ] as const) {
    const words = ['--session', 's-1', '--job', job, '--reason', reason, '--by', 'Dana'];
    await cli(['request', 'decide', out, NAME, decision, ...words]);
  }
  made = { pack: join(directory, 'pack'), report: join(directory, 'report') };
  await cli(['evidence', out, '--request', NAME, '--out', made.pack]);
  await cli(['report', out, '--request', NAME, '--out', made.report]);
});
afterAll(() => people[Symbol.asyncDispose]());

const pageOf = (product: 'pack' | 'report') =>
  product === 'pack' ? join(made.pack, 'data') : made.report;
/** What a file of the page's data hands over. */
async function dataIn<Data>(product: 'pack' | 'report', key: string): Promise<Data> {
  const text = await readFile(join(pageOf(product), 'data', `${key}.js`), 'utf8');
  return runInNewContext(
    `((jobvaultData) => ${text.trim().slice(0, -1)})((_, data) => data)`,
  ) as Data;
}

it.each(['pack', 'report'] as const)(
  'the page of a %s says by whose decision a question is redacted, and no place of words',
  async (product) => {
    const { jobs } = await dataIn<PieceData>(product, 's/1-0');
    expect(jobs.map(({ id, found, redaction }) => [id === redacted, found, redaction])).toEqual([
      [false, ['question'], null],
      [true, [], expect.stringMatching(SAID)],
      [false, ['question'], null],
    ]);
  },
);
