/** `copy --pseudonymise --request`: only what the request holds is copied, without what is withheld or redacted. */
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { grepArchive } from '../../support/store/grep-archive.js';

const NAME = 'Matter 7';

let people: SearchRig;
let out: string;
let jobs: string[];
let target: string;
let keyFile: string;
beforeEach(async () => {
  people = await SearchRig.start();
  jobs = people.talk('ada', 's-sales', 'Sales', [
    { question: 'falcon of kestrel?', answer: 'yes' },
    { question: 'falcon of merlin?', answer: 'yes' },
    { question: 'falcon of osprey?', answer: 'yes' },
    { question: 'the weather of hobby?', answer: 'yes' },
  ]);
  people.talk('ada', 's-counsel', 'Counsel', [{ question: 'falcon of eagle?', answer: 'yes' }]);
  people.talk('ben', 's-ben', 'Ben', [{ question: 'falcon of vulture?', answer: 'yes' }]);
  await people.rig.archived();
  ({ out } = people.rig);
  target = join(people.rig.directory, 'for-analysts');
  keyFile = join(people.rig.directory, 'key.bin');
  await writeFile(keyFile, randomBytes(32));
});
afterEach(() => people[Symbol.asyncDispose]());

const WORDS = ['kestrel', 'merlin', 'osprey', 'hobby', 'eagle', 'vulture'];
const request = (...words: string[]) =>
  cli(['request', 'new', out, NAME, '--by', 'Grace', '--reason', 'research', ...words]);
const decide = (decision: string, ...words: string[]) =>
  cli(['request', 'decide', out, NAME, decision, '--by', 'Dana', '--reason', 'r', ...words]);
const copyWords = (...words: string[]) => [
  ...['copy', out, target, '--pseudonymise', keyFile, '--keep-text'],
  ...['--request', NAME, '--by', 'Dana', ...words],
];
const wordsIn = async () => {
  const found = await grepArchive(target, WORDS);
  return WORDS.filter((word) => found.some((hit) => hit.endsWith(`: ${word}`)));
};

it('has only the users of the request, and is recorded with it', async () => {
  await request('--user', 'ada');
  const copy = await cliJson<{ users: number; digest: string }>(copyWords());
  expect(copy).toMatchObject({ status: 'complete', request: NAME, users: 1, sessions: 2, jobs: 5 });
  expect(await wordsIn()).toEqual(WORDS.slice(0, 5));
  expect((await cli(['verify', target])).exitCode).toBe(0);
  const shown = await cliJson<{ packs: object[] }>(['request', 'show', out, NAME]);
  expect(shown.packs).toMatchObject([{ form: 'copy', digest: copy.digest, by: 'Dana', jobs: 5 }]);
  const status = await cli(['status', target]);
  expect(status.stdout).toContain('only what a request is about');
  expect((await cli(['request', 'list', out])).stdout).toContain('1 copy');
});

it('has only the questions of its words, and nothing that is withheld or redacted', async () => {
  await request('--user', 'ada', '--match', 'falcon');
  const [, merlin = '', osprey = ''] = jobs;
  await decide('withhold', '--session', 's-counsel');
  await decide('withhold', '--session', 's-sales', '--job', merlin);
  await decide('redact', '--session', 's-sales', '--job', osprey);
  const { exitCode, stdout } = await cli(copyWords());
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/withheld +2 questions/);
  expect(stdout).toMatch(/redacted +1 question/);
  expect(await wordsIn()).toEqual(['kestrel']);
  const rows = await cliJson<{ rows: string[][] }>([
    ...['query', target, 'SELECT question_text FROM current_jobs ORDER BY 1'],
  ]);
  expect(JSON.stringify(rows)).toContain('[redacted]');
  const sql = 'SELECT question_text, content_hash, answer_block_count FROM current_jobs ORDER BY 1';
  const hashed = await cliJson<{ rows: object[] }>(['query', target, sql]);
  expect(hashed.rows).toEqual([
    { question_text: '[redacted]', content_hash: null, answer_block_count: null },
    expect.objectContaining({ content_hash: expect.any(String) as string, answer_block_count: 1 }),
  ]);
  expect((await cli(['verify', target])).exitCode).toBe(0);
  const status = await cliJson<{ users: object; jobs: number }>(['status', target]);
  expect(status).toMatchObject({ pseudonymised: { part: true } });
});

it('leaves out questions of unknown date, with exit code 3, until somebody decides', async () => {
  people.talk('ada', 's-undated', 'Undated', [{ question: 'falcon undated', id: 'without-time' }]);
  await people.rig.export();
  await request('--user', 'ada', '--from', '2020');
  const undecided = await cli(copyWords());
  expect([undecided.exitCode, undecided.stdout]).toEqual([
    3,
    expect.stringContaining('  left out  1 question whose date is unknown; --undated include'),
  ]);
  await rm(target, { recursive: true });
  const decided = await cli(copyWords('--undated', 'include'));
  expect([decided.exitCode, decided.stdout]).toEqual([
    0,
    expect.stringContaining('  included  1 question whose date is unknown'),
  ]);
});

it.each([
  ['without --pseudonymise', ['copy', 'OUT', 'TARGET', '--request', NAME], '--request goes with'],
  ['of a request that is not there', ['--request', 'Matter 8'], 'has no request "Matter 8"'],
])('is refused %s with exit code 2', async (_, words, told) => {
  await request('--user', 'ada');
  const places: Readonly<Record<string, string>> = { OUT: out, TARGET: target };
  const given =
    words[0] === 'copy'
      ? words.map((word) => places[word] ?? word)
      : copyWords().map((word) => (word === NAME ? 'Matter 8' : word));
  const { exitCode, stderr } = await cli(given);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(told)]);
});
