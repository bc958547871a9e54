/** Decisions on conversations and questions: nothing of what is withheld or redacted is in what is made for the request. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readXlsx } from 'hucre/xlsx';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { grepArchive } from '../../support/store/grep-archive.js';

const NAME = 'Matter 7';
/** Stand in every place where a text can stand: only in what is withheld or redacted. */
const SECRETS = ['osprey', 'kestrel', 'merlin', 'hobby'];

let people: SearchRig;
let out: string;
let jobs: string[];
let made = 0;
beforeEach(async () => {
  people = await SearchRig.start();
  jobs = people.talk('ada', 's-sales', 'Sales', [
    { question: 'What of Falcon?', answer: 'It sells.' },
    secretJob('kestrel'),
    secretJob('merlin'),
    { question: 'Falcon again?', answer: 'Still.' },
  ]);
  people.talk('ada', 's-counsel', 'The osprey advice', [secretJob('osprey'), secretJob('osprey')]);
  people.talk('ada', 's-third', 'The hobby', [secretJob('hobby')]);
  people.talk('ben', 's-ben', 'Ben', [{ question: 'Falcon?' }]);
  await people.rig.archived();
  ({ out } = people.rig);
  await cli(['request', 'new', out, NAME, '--user', 'ada', '--by', 'Grace', '--reason', 'Art. 15']);
});
afterEach(() => people[Symbol.asyncDispose]());

function secretJob(word: string) {
  return {
    question: `Falcon and ${word}?`,
    answer: `An answer of ${word}.`,
    step: `a step to ${word}`,
    code: `print("${word}")`,
    table: `${word}.csv`,
    csv: `name,value\n${word},1\n`,
    followUp: `more of ${word}?`,
    cited: `a passage of ${word}`,
  };
}

const decide = (decision: string, ...words: string[]) =>
  cli(['request', 'decide', out, NAME, decision, '--by', 'Dana', ...words]);
const place = () => join(people.rig.directory, `made-${++made}`);
async function make(command: string, ...words: string[]) {
  const path = `${place()}${command === 'workbook' ? '.xlsx' : ''}`;
  const given = [command, out, '--request', NAME, '--by', 'Dana', '--out', path, ...words];
  const run = await cli([...given, '--json']);
  if (run.stdout === '') throw new Error(run.stderr);
  const { caveats } = JSON.parse(run.stdout) as { caveats: { kind: string; count: number }[] };
  return { path, exitCode: run.exitCode, caveats: caveats.map(({ kind, count }) => [kind, count]) };
}
/** Which of the words stand in a file of a directory, in its bytes or its name. */
async function wordsIn(directory: string, words: readonly string[]): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const found = new Set<string>();
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const text = `${path.slice(directory.length)}\n${(await readFile(path)).toString()}`;
    for (const word of words) if (text.toLowerCase().includes(word)) found.add(word);
  }
  return [...found].toSorted();
}
async function wordsOfBook(path: string, words: readonly string[]): Promise<string[]> {
  const { sheets } = await readXlsx(await readFile(path));
  const text = JSON.stringify(sheets).toLowerCase();
  return words.filter((word) => text.includes(word)).toSorted();
}

async function decideAll() {
  const [, kestrel = '', merlin = ''] = jobs;
  const privileged = ['--reason', 'privileged'];
  for (const run of [
    await decide('withhold', '--session', 's-counsel', ...privileged),
    await decide('withhold', '--session', 's-sales', '--job', kestrel, ...privileged),
    await decide('redact', '--session', 's-sales', '--job', merlin, '--reason', 'third party'),
    await decide('redact', '--session', 's-third', '--reason', 'third party'),
  ]) {
    expect([run.exitCode, run.stderr]).toEqual([0, '']);
  }
}

describe('what is made for a request with decisions', () => {
  it('a pack has nothing of what is withheld or redacted, counts it, and passes its own check', async () => {
    const before = await make('evidence');
    expect(await wordsIn(before.path, SECRETS)).toEqual(SECRETS.toSorted());
    await decideAll();
    const pack = await make('evidence');
    expect(await wordsIn(pack.path, [...SECRETS, 'falcon'])).toEqual(['falcon']);
    expect(pack.exitCode).toBe(0);
    expect(pack.caveats).toEqual([['withheld', 3], ['redacted', 2], ...before.caveats]);
    expect(await cliJson(['request', 'show', out, NAME])).toMatchObject({
      packs: [{ withheld: 0 }, { withheld: 3 }],
    });
    const summary = await readFile(join(pack.path, 'data/summary.csv'), 'utf8');
    expect(summary).toMatch(/,by decision,/);
    const sums = ['manifest-sha256.txt', 'tagmanifest-sha256.txt'];
    const check = ['-c', '--quiet', '--strict', ...sums];
    const checked = await promisify(execFile)('sha256sum', check, { cwd: pack.path });
    expect(checked).toEqual({ stdout: '', stderr: '' });
    const data = (name: string) => readFile(join(pack.path, 'data', name), 'utf8');
    // no row may tell of a conversation that is withheld as a whole
    expect(await data('index.csv')).not.toContain('s-counsel');
    expect((await data('README.txt')).replaceAll(/\s+/g, ' ')).toContain(
      'a conversation that is not in the pack, as all of it is withheld, has no row here: only withheld.csv and summary.csv count it',
    );
    const rows = (await data('withheld.csv')).trimEnd().split('\r\n').slice(1);
    const [, kestrel = '', merlin = ''] = jobs;
    const today = /,\d{4}-\d\d-\d\dT[\d:.]+Z$/;
    expect(rows.map((row) => row.replace(today, '')).toSorted()).toEqual(
      [
        'ada,s-counsel,,withhold,2,privileged,Dana',
        `ada,s-sales,${kestrel},withhold,1,privileged,Dana`,
        `ada,s-sales,${merlin},redact,1,third party,Dana`,
        'ada,s-third,,redact,1,third party,Dana',
      ].toSorted(),
    );
    expect(await data('README.txt')).toContain('withheld.csv');
    expect(await data('index.html')).toContain('3 questions are withheld by decision');
    expect(await data('index.csv')).toMatch(/,s-sales,3,4,/);
  });

  it('a redacted question names its decision, and no record is called whole that is not', async () => {
    const readme = async (path: string) => readFile(join(path, 'data', 'README.txt'), 'utf8');
    const whole = await make('evidence');
    expect(await readme(whole.path)).not.toContain('of a redacted question only its id');
    expect(await readme(whole.path)).toContain('No commit of this archive is signed.');
    expect(await readme(whole.path)).not.toContain('openssl');
    await decideAll();
    const { path } = await make('evidence');
    expect(await readme(path)).toContain('of a redacted question only its id');
    const told = /Redacted: third party \(by Dana, 20\d\d-\d\d-\d\d\)/g;
    const items = await readFile(join(path, 'data', 'items.csv'), 'utf8');
    expect(items.match(told)).toHaveLength(2);
    const folder = join(path, 'data', 'transcripts');
    const names = await readdir(folder, { recursive: true });
    const texts = await Promise.all(
      names
        .filter((name) => name.endsWith('.txt'))
        .map((name) => readFile(join(folder, name), 'utf8')),
    );
    expect(texts.join('').match(told)).toHaveLength(2);
  });

  it('the log in a pack has no hash by which a guess of what is redacted could be proven', async () => {
    await cli(['gap', 'accept', out, '--session', 's-sales', '--reason', 'gone for good']);
    await decideAll();
    const { path } = await make('evidence');
    const commits = join(path, 'data', 'commits');
    const names = await readdir(commits);
    const read = async (end: string) => {
      const texts = names.filter((name) => name.endsWith(end)).map((name) => join(commits, name));
      return Promise.all(texts.map((text) => readFile(text, 'utf8')));
    };
    const [, kestrel = '', merlin = '', falcon = ''] = jobs;
    const lines = (await read('.jobs.jsonl')).flatMap((text) => text.trimEnd().split('\n'));
    const [redacted] = lines.filter((line) => line.includes(merlin));
    expect(JSON.parse(redacted ?? '')).toMatchObject({
      ...{ hash: null, text_hash: null, urls: null, files: null, redacted: true },
    });
    expect(redacted).not.toContain('same_images');
    expect(lines.join()).toMatch(new RegExp(`"${falcon}","version":1,"hash":"[0-9a-f]{64}"`));
    const entries = (await read('.extract.json')).flatMap(
      (text) =>
        (JSON.parse(text) as { sessions: { session: string; meta_hash: string }[] }).sessions,
    );
    expect(
      Object.fromEntries(entries.map(({ session, meta_hash: hash }) => [session, hash])),
    ).toEqual({
      's-sales': expect.any(String) as string,
      's-third': null,
    });
    const { rows } = await cliJson<{ rows: { content_hash: string }[] }>([
      ...['query', out],
      `SELECT content_hash FROM jobs WHERE job_id IN ('${kestrel}', '${merlin}')`,
    ]);
    expect(
      await wordsIn(
        path,
        rows.map(({ content_hash: hash }) => hash),
      ),
    ).toEqual([]);
    expect(names.join()).not.toMatch(/jobs\.jsonl\.gz/);
  });

  it('what was accepted of a withheld question is not in the log of a pack', async () => {
    people.talk('ada', 's-sales', 'Sales', [{ question: 'Lost?', table: 'lost.csv', csv: null }]);
    await people.rig.export();
    const { gaps } = await cliJson<{ gaps: { job_id: string }[] }>(['gap', 'list', out]);
    const accept = ['gap', 'accept', out, '--session', 's-sales', '--by', 'Dana'];
    await cli([...accept, '--reason', 'the osprey is lost']);
    await decide(
      'withhold',
      '--session',
      's-sales',
      '--job',
      gaps[0]?.job_id ?? '',
      '--reason',
      'x',
    );
    const { path } = await make('evidence');
    expect(gaps).toHaveLength(1);
    expect(await wordsIn(join(path, 'data', 'commits'), ['osprey'])).toEqual([]);
  });

  it('what is withheld is in the archive all the same, where it is told how much was erased', async () => {
    await decide('withhold', '--session', 's-counsel', '--reason', 'privileged');
    const whom = ['--session', 's-third', '--reason', 'r', '--by', 'B', '--yes'];
    expect((await cli(['erase', out, ...whom])).exitCode).toBe(0);
    const { path } = await make('evidence');
    const readme = await readFile(join(path, 'data/README.txt'), 'utf8');
    expect(readme.replaceAll(/\s+/g, ' ')).toContain(
      '1 of 3 conversations was erased: the archive has 2 of the 3',
    );
  });

  it('a conversation that was erased and comes back is withheld as before, job by job', async () => {
    await decideAll();
    const again = ['--reason', 'not responsive'];
    await decide('include', '--session', 's-third', '--reason', 'released');
    await decide('withhold', '--session', 's-third', ...again);
    for (const session of ['s-counsel', 's-sales', 's-third']) {
      const whom = ['--session', session, '--reason', 'r', '--by', 'B', '--yes'];
      expect((await cli(['erase', out, ...whom])).exitCode).toBe(0);
    }
    expect(await grepArchive(out, ['s-counsel', 's-third', ...jobs])).toEqual([]);
    const shown = async () => {
      const show = ['request', 'show', out, NAME];
      const { decisions } = await cliJson<{ decisions: { session: string; job: string | null }[] }>(
        show,
      );
      const ids = decisions.flatMap(({ session, job }) => [
        session,
        ...(job === null ? [] : [job]),
      ]);
      return { ids: new Set(ids), text: (await cli(show)).stdout };
    };
    expect((await shown()).ids).toEqual(new Set(['[erased]']));
    await people.rig.export();
    const { ids, text } = await shown();
    expect(text).toContain('withhold conversation s-third: not responsive');
    expect([...ids]).toEqual(expect.arrayContaining(['s-counsel', 's-sales', 's-third']));
    expect([...ids].filter((id) => jobs.includes(id))).not.toEqual([]);
    expect(ids).not.toContain('[erased]');
    const pack = await make('evidence');
    expect(await wordsIn(pack.path, [...SECRETS, 'falcon'])).toEqual(['falcon']);
    expect(pack.caveats.slice(0, 2)).toEqual([
      ['withheld', 4],
      ['redacted', 1],
    ]);
    const withheld = await readFile(join(pack.path, 'data/withheld.csv'), 'utf8');
    expect(withheld).toContain('ada,s-third,,withhold,1,not responsive,Dana');
    await decide('include', '--session', 's-third', '--reason', 'released');
    const later = await make('evidence');
    expect(await wordsIn(later.path, SECRETS)).toEqual(['hobby']);
    expect((await cli(['verify', out])).exitCode).toBe(0);
  });

  it('a pack of a search for words has none of the words that were found in what is withheld', async () => {
    const name = 'Matter 8';
    const words = ['--match', 'falcon', '--from', '2020', '--undated', 'include'];
    const asked = ['--user', 'ada', '--by', 'G', '--reason', 'x', ...words.slice(0, 4)];
    await cli(['request', 'new', out, name, ...asked]);
    const choice = ['--session', 's-counsel', '--reason', 'privileged', '--by', 'Dana'];
    await cli(['request', 'decide', out, name, 'withhold', ...choice]);
    const path = place();
    const given = ['evidence', out, '--request', name, '--out', path, ...words.slice(4)];
    const pack = await cliJson<{ jobs: number; search: { matches: number } }>(given);
    expect(await wordsIn(path, SECRETS)).toEqual(['hobby', 'kestrel', 'merlin']);
    expect([pack.jobs, pack.search.matches]).toEqual([5, 7]);
  });

  it('a report has nothing of it, and an earlier one in its place is made anew', async () => {
    const path = place();
    const given = ['report', out, '--request', NAME, '--out', path];
    await cli(given);
    await decideAll();
    await cli(given);
    expect(await wordsIn(path, [...SECRETS, 'falcon'])).toEqual(['falcon']);
  });

  it('a workbook has nothing of it, and says so on its cover', async () => {
    await decideAll();
    const book = await make('workbook');
    expect(await wordsOfBook(book.path, [...SECRETS, 'falcon'])).toEqual(['falcon']);
    const said = ['3 questions are withheld by decision', '2 questions are redacted by decision'];
    expect(await wordsOfBook(book.path, said)).toEqual(said.toSorted());
  });

  it('neither a workbook nor a report has the hash of a redacted question', async () => {
    const [first = '', , merlin = ''] = jobs;
    const { rows } = await cliJson<{ rows: { content_hash: string }[] }>([
      ...['query', out],
      `SELECT content_hash FROM jobs WHERE job_id IN ('${first}', '${merlin}') ORDER BY job_index`,
    ]);
    const hashes = rows.map((row) => row.content_hash);
    expect(await wordsOfBook((await make('workbook')).path, hashes)).toEqual(hashes.toSorted());
    await decideAll();
    expect(await wordsOfBook((await make('workbook')).path, hashes)).toEqual(hashes.slice(0, 1));
    const report = place();
    await cli(['report', out, '--request', NAME, '--out', report]);
    expect(await wordsIn(report, hashes.slice(1))).toEqual([]);
  });

  it('a later decision replaces an earlier one, and one of a question that of its conversation', async () => {
    const [first = ''] = jobs;
    await decide('withhold', '--session', 's-sales', '--reason', 'privileged');
    await decide('include', '--session', 's-sales', '--job', first, '--reason', 'public');
    const pack = await make('evidence');
    expect(pack.caveats).toContainEqual(['withheld', 3]);
    await decide('include', '--session', 's-sales', '--reason', 'released by counsel');
    const { caveats, path } = await make('evidence');
    expect(caveats.map(([kind]) => kind)).not.toContain('withheld');
    expect(await wordsIn(path, ['kestrel'])).toEqual(['kestrel']);
  });

  it('what is made for another request, or for none, has all of it', async () => {
    await decideAll();
    const path = place();
    await cli(['evidence', out, '--user', 'ada', '--out', path]);
    expect(await wordsIn(path, SECRETS)).toEqual(SECRETS.toSorted());
  });
});

describe('request decide', () => {
  it('is shown with the request: who decided what, and why', async () => {
    await decide('withhold', '--session', 's-counsel', '--reason', 'privileged');
    expect((await cli(['request', 'show', out, NAME])).stdout).toMatch(
      /^ {2}decision +\S+ \S+ UTC by Dana: withhold conversation s-counsel: privileged$/m,
    );
    expect(await cliJson(['request', 'show', out, NAME])).toMatchObject({
      decisions: [{ session: 's-counsel', job: null, decision: 'withhold', by: 'Dana' }],
    });
  });

  it.each([
    [
      ['burn', '--session', 's-sales'],
      'the decision is "burn"; allowed is withhold, redact, include',
    ],
    [['withhold', '--session', 's-ben'], 'request "Matter 7" is not about session "s-ben"'],
    [['withhold', '--session', 'nowhere'], 'has no session "nowhere"'],
    [['withhold', '--session', 's-sales', '--job', 'none'], 'has no job "none"'],
  ])(
    'refuses %j with exit code 2, and records nothing',
    async ([decision = '', ...words], told) => {
      const { exitCode, stderr } = await decide(decision, '--reason', 'x', ...words);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(told)]);
      expect(await cliJson(['request', 'show', out, NAME])).toMatchObject({ decisions: [] });
    },
  );

  it('names other conversations that have the same questions, which stay as they are', async () => {
    const [first = ''] = jobs;
    people.talk('ada', 's-copy', 'Again', [{ id: first, question: 'Falcon?' }]);
    await people.rig.export();
    const told = await decide('withhold', '--session', 's-sales', '--job', first, '--reason', 'x');
    expect([told.exitCode, told.stderr]).toEqual([0, expect.stringContaining('"s-copy"')]);
    const [, second = ''] = jobs;
    const alone = ['--session', 's-sales', '--job', second, '--reason', 'x'];
    expect((await decide('redact', ...alone)).stderr).toBe('');
  });

  it('is refused where the request is closed', async () => {
    await cli(['request', 'close', out, NAME, '--reason', 'answered']);
    const { exitCode, stderr } = await decide('withhold', '--session', 's-sales', '--reason', 'x');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('was closed on')]);
  });

  it('loses the conversation and a reason that names it with an erasure', async () => {
    const [first = ''] = jobs;
    await decide('withhold', '--session', 's-sales', '--job', first, '--reason', 'of s-sales');
    await cli(['erase', out, '--session', 's-sales', '--yes']);
    expect(await cliJson(['request', 'show', out, NAME])).toMatchObject({
      decisions: [
        { session: '[erased]', job: '[erased]', decision: 'withhold', reason: '[erased]' },
      ],
    });
    expect(await grepArchive(out, ['s-sales', first])).toEqual([]);
    expect((await cli(['verify', out])).exitCode).toBe(0);
  });
});
