/** `copy --pseudonymise --request`: only what the request holds is copied, without what is withheld or redacted. */
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import { headlineOf } from '../../../src/archive/reading/caveats/caveat-text.js';
import type { ArchiveStatus } from '../../../src/index.js';
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

it('does not ask whether the id is right of whom everything was erased', async () => {
  const erase = ['erase', out, '--session', 's-ben', '--suppress', '--reason', 'r', '--yes'];
  await request('--user', 'ada', '--user', 'ben');
  await cli(erase);
  await people.rig.export();
  expect(await cliJson(['status', out])).toMatchObject({ never_seen: [] });
  await cli(copyWords());
  expect(await cliJson(['status', target])).toMatchObject({ never_seen: [] });
});

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
  expect(stdout).toMatch(
    /^Not complete, by decision: 2 questions are withheld; 1 question is redacted\n/,
  );
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

it('says wherever it is counted in that what it leaves out counts as never asked', async () => {
  await request('--match', 'falcon');
  await cli(copyWords());
  const said = 'what is left out counts as never asked (in who is new,';
  const sql = 'SELECT questions FROM v_conversation_length WHERE questions = 3';
  const { stdout, stderr } = await cli(['query', target, sql]);
  expect([stdout, stderr]).toEqual([expect.any(String), expect.stringContaining(said)]);
  expect((await cli(['status', target])).stdout).toContain(said);
  expect((await cli(['tables', target, 'v_questions'])).stdout).toContain('counts as never asked');
  await rm(target, { recursive: true });
  await cli(['copy', out, target, '--pseudonymise', keyFile]);
  expect((await cli(['query', target, sql])).stderr).not.toContain('never asked');
});

it('leaves out questions of unknown date, with exit code 3, until somebody decides', async () => {
  people.talk('ada', 's-undated', 'Undated', [{ question: 'falcon undated', id: 'without-time' }]);
  await people.rig.export();
  await request('--user', 'ada', '--from', '2020');
  const undecided = await cli(copyWords());
  expect([undecided.exitCode, undecided.stdout]).toEqual([
    3,
    expect.stringMatching(
      /^Not complete: 1 question whose date is unknown was left out\n[^]* {2}missing +1 question .*; --undated include takes it in/,
    ),
  ]);
  await rm(target, { recursive: true });
  const decided = await cli(copyWords('--undated', 'include'));
  expect([decided.exitCode, decided.stdout]).toEqual([
    0,
    expect.stringMatching(/^Complete: [^]*1 question whose date is unknown was taken in/),
  ]);
});

interface Told {
  readonly status: string;
  readonly caveats: readonly Caveat[];
}

describe('of a request with a question that is withheld, one that is redacted, and one without a date', () => {
  beforeEach(async () => {
    people.talk('ada', 's-undated', 'Undated', [{ question: 'falcon undated', id: 'no-time' }]);
    await people.rig.export();
    await request('--user', 'ada', '--match', 'falcon', '--from', '2020');
    const [, merlin = '', osprey = ''] = jobs;
    await decide('withhold', '--session', 's-sales', '--job', merlin);
    await decide('redact', '--session', 's-sales', '--job', osprey);
  });

  it.each([
    [[], 'incomplete', 3],
    [['--undated', 'include'], 'incomplete-by-decision', 0],
  ] as const)(
    'given %j it is as whole as the pack, and its own status says so',
    async (words, state, exitCode) => {
      const place = join(people.rig.directory, 'pack');
      const pack = await cliJson<Told>(
        ['evidence', out, '--request', NAME, '--by', 'Dana', ...words, '--out', place],
        exitCode,
      );
      const copy = await cliJson<Told>(copyWords(...words), exitCode);
      expect([copy.status, pack.status]).toEqual([state, state]);
      const lacking = ({ caveats }: Told) => caveats.filter(({ severity }) => severity !== 'note');
      expect(lacking(copy)).toEqual(lacking(pack));
      const shown = await cliJson<{ packs: Told[] }>(['request', 'show', out, NAME]);
      expect(shown.packs.map(lacking).map((all) => all.length)).toEqual(
        Array(2).fill(lacking(pack).length),
      );
      const { users } = await cliJson<ArchiveStatus>(['status', target]);
      expect([users.total, users.complete]).toEqual([1, 0]);
      const status = (await cli(['status', target])).stdout;
      const report = ['report', target, '--out', join(people.rig.directory, 'report'), '--json'];
      const { exitCode: told, stdout } = await cli(report);
      expect(told).toBe(exitCode);
      expect(headlineOf((JSON.parse(stdout) as Told).caveats)).toBe(headlineOf(pack.caveats));
      for (const { headline } of lacking(pack)) {
        expect(status).toMatch(new RegExp(`^ +missing +${headline}`, 'm'));
      }
      expect((await cli(['verify', target])).exitCode).toBe(0);
    },
  );
});

it('counts and names no doubtful file of a question that is redacted, as a pack does not', async () => {
  const [odd = ''] = people.talk('ada', 's-odd', 'Odd', [
    { question: 'the falcon?', table: 'redacted.csv', csv: '' },
    { question: 'and the hawk?', table: 'shown.csv', csv: '' },
  ]);
  await people.rig.export();
  await request('--user', 'ada');
  await decide('redact', '--session', 's-odd', '--job', odd);
  const pack = ['evidence', out, '--request', NAME, '--by', 'Dana'];
  const made = [
    await cliJson<Told>([...pack, '--out', join(people.rig.directory, 'pack')]),
    await cliJson<Told>(copyWords()),
    await cliJson<Told>(['report', target, '--out', join(people.rig.directory, 'report')]),
  ];
  const doubtful = made.map(({ caveats }) =>
    caveats.find(({ kind }) => kind === 'suspicious_file'),
  );
  expect(doubtful.map((caveat) => caveat?.count)).toEqual([1, 1, 1]);
  expect(await cliJson(['status', target])).toMatchObject({ suspicious_files: 1 });
});

it('says after an erasure how much of it was erased, as the archive does', async () => {
  await request('--user', 'ada');
  const erase = ['erase', out, '--session', 's-counsel', '--reason', 'r', '--by', 'Dana'];
  expect((await cli([...erase, '--yes'])).exitCode).toBe(0);
  const made = await cli(copyWords());
  expect(made.stdout).toMatch(
    /^Not complete, by decision: 1 of 2 conversations was erased\nA copy of .* is in /,
  );
  expect(made.exitCode).toBe(0);
  const { users, runs } = await cliJson<ArchiveStatus>(['status', target]);
  expect([users.total, users.incomplete_by_decision]).toEqual([1, 1]);
  const status = await cli(['status', target]);
  expect(status.stdout).toMatch(/^ +missing +1 of 2 conversations was erased: /m);
  expect(runs.map((run) => run.users)).toEqual([1]);
});

it('a copy of named conversations does not say of its run that it had no user', async () => {
  await request('--session', 's-counsel');
  expect((await cli(copyWords())).stdout).toMatch(/copied +1 user, 1 conversation$/m);
  const { stdout } = await cli(['status', target]);
  expect(stdout).toMatch(/, commit 1: 1 version of questions archived$/m);
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
