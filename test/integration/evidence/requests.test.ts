/** A request from its record to its end: what is held, searched and handed over for it stands in the log. */
import { readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { readXlsx } from 'hucre/xlsx';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ed25519Signer, openArchive } from '../../../src/index.js';
import { ed25519Pair, startingSigner } from '../../support/base/signing-keys.js';
import { cli, cliJson, cliOnTerminal } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { caveatCounts } from '../../support/tables/caveat-counts.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { grepArchive } from '../../support/store/grep-archive.js';
import { bagProblems } from '../../support/tables/bag-validator.js';

let people: SearchRig;
let out: string;
beforeEach(async () => {
  people = await SearchRig.start();
  people.talk('ada', 's-ada', 'Sales', [
    { question: 'What of project Falcon?' },
    { question: 'Falcon in March', id: 'without-time' },
    { question: 'the weather' },
  ]);
  people.talk('ben', 's-ben', 'Ben', [{ question: 'secret-of-ben of Falcon' }]);
  await people.rig.archived();
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

const inRig = (name: string) => join(people.rig.directory, name);
const NAME = 'Matter 7';
const NEVER =
  'what is in images and in linked files, titles of steps on the way to an answer, ids, data of other parts such as tasks';
const NOT_IN_CODE =
  'questions, answers with their sources, cited passages and proposed questions, the first rows of tables, names of tables and images, names of conversations';
const BY = ['--by', 'Grace Hopper'];
const FOR = ['--request', NAME, '--by', 'Dana'];
const today = new Date().toISOString().slice(0, 10);

const asked = (...words: string[]) =>
  cli(['request', 'new', out, NAME, '--reason', 'Art. 15 GDPR', ...BY, ...words]);
const askedOfAda = () => asked('--user', 'ada', '--match', 'falcon', '--to', '2026-01-10');
const shown = async () => (await cli(['request', 'show', out, NAME])).stdout;

it('whatever is made for a request names the commit of its data, whatever notes come between', async () => {
  await askedOfAda();
  interface Made {
    readonly commit?: number;
    readonly head?: unknown;
  }
  const made = (...words: string[]) => cliJson<Made>([...words, ...FOR], 3);
  const searched = await made('search', out);
  const book = await made('workbook', out, '--out', inRig('book.xlsx'));
  const report = await made('report', out, '--out', inRig('report.html'));
  const { summary, pack } = await handOver(people.rig, ...FOR);
  const again = await made('search', out);
  const { digest } = await (await people.rig.open()).log.read(2);
  const head = { number: 2, digest };
  expect([searched, again].map(({ commit }) => commit)).toEqual([2, 2]);
  expect([book.head, report.head, summary().head]).toEqual([head, head, head]);
  expect(await pack.text('data/README.txt')).toMatch(
    new RegExp(`commit\\s+2, digest\\s+${digest}\\s`),
  );
  expect(await cliJson(['status', out])).toMatchObject({ head: { number: 7 } });
});

it('a request is recorded, with its holds, and its searches and packs with their digests', async () => {
  expect(await askedOfAda()).toMatchObject({
    exitCode: 0,
    stdout:
      'Recorded in commit 2: request Matter 7 about ada: questions with “falcon” to 2026-01-10\n',
  });
  expect((await cli(['hold', 'add', out, ...FOR])).stdout).toMatch(/^Held in commit 3: user ada\n/);
  const search = await cli(['search', out, ...FOR]);
  expect([search.exitCode, search.stdout]).toEqual([
    3,
    expect.stringMatching(
      /\n1 hit in 1 of the 2 questions of commit 3 that are or may be of the period\n/,
    ),
  ]);
  expect((await cli(['search', out, ...FOR, '--in', 'code'])).stdout).toMatch(
    /\n0 hits in 1 of the 2 questions/,
  );
  const { exitCode, summary, pack } = await handOver(people.rig, ...FOR);
  expect([exitCode, await bagProblems(pack.directory)]).toEqual([3, []]);
  expect(summary()).toMatchObject({ request: NAME, users: 1, jobs: 1 });
  expect(caveatCounts(summary(), 'gap', 'left_out')).toEqual({ left_out: 1 });
  const manifest = await readFile(join(pack.directory, 'tagmanifest-sha256.txt'));
  const digest = createHash('sha256').update(manifest).digest('hex');
  expect(summary().digest).toBe(digest);
  expect(await pack.filesWith('secret-of-ben')).toEqual([]);
  expect(await pack.text('bag-info.txt')).toContain(`External-Identifier: ${NAME}\n`);
  const told = `Made for the request Matter 7\nof ${today}, asked by Grace Hopper: Art. 15 GDPR\n`;
  expect(await pack.text('data/README.txt')).toContain(told);
  expect(await pack.text('data/settings.csv')).toContain(`,request,${NAME}`);
  // what the log says of it and of the hold, whole, and nothing of what was recorded for others
  const chain = await pack.page('commits/chain');
  expect(chain.map(({ in_pack: kind }) => kind)).toEqual(['extract', 'whole', 'whole']);
  expect(await pack.page('holds')).toMatchObject([
    { user_id: 'ada', by: 'Grace Hopper', set_by: 'Dana', commit: '3' },
  ]);
  expect(await pack.json('data/commits/000000000003.json')).toMatchObject({
    holds: [{ action: 'add', user: 'ada', by: 'Grace Hopper', set_by: 'Dana' }],
  });
  const minutes = (await shown()).replaceAll(/\d\d:\d\d UTC/g, 'hh:mm');
  const left = '            - missing: 1 question whose date is unknown was left out';
  const unread = `            - note: not searched: ${NEVER}`;
  expect(minutes).toBe(
    [
      'Request Matter 7: open',
      `  asked by  Grace Hopper, recorded ${today} hh:mm`,
      '  reason    Art. 15 GDPR',
      '  about     ada: questions with “falcon” to 2026-01-10',
      '  record    commit 2, not signed',
      `  hold      user ada, ${today} hh:mm by Dana: in force`,
      `  search    ${today} hh:mm by Dana: with “falcon” to 2026-01-10: 1 hit in 1 of the 2 questions of commit 3 that are or may be of the period`,
      ...[left, unread],
      `  search    ${today} hh:mm by Dana: with “falcon” in code to 2026-01-10: 0 hits in 1 of the 2 questions of commit 3 that are or may be of the period`,
      '            - note: 1 question whose date is unknown does not have these words',
      `            - note: not searched: ${NOT_IN_CODE}, ${NEVER}`,
      `  pack      ${today} hh:mm by Dana: 1 conversation, 1 question, 0 files of commit 3; digest ${digest}`,
      ...[left, '            - note: 1 hold binds what is here', unread],
      '',
    ].join('\n'),
  );
  expect((await cli(['verify', out])).exitCode).toBe(0);
});

it("a request with words takes no others; without, a search's words are recorded and told", async () => {
  await askedOfAda();
  for (const words of ['weather', 'falcon']) {
    const { exitCode, stdout, stderr } = await cli(['search', out, words, ...FOR]);
    expect([exitCode, stdout, stderr]).toEqual([
      2,
      '',
      expect.stringContaining(
        `request "${NAME}" says who and what is meant; leave out the words, or record another request`,
      ),
    ]);
  }
  expect(await cliJson(['request', 'show', out, NAME])).toMatchObject({ searches: [] });
  const why = ['--reason', 'Art. 15 GDPR', ...BY];
  await cli(['request', 'new', out, 'All of ada', '--user', 'ada', ...why]);
  const wordless = await cli(['search', out, '--request', 'All of ada', '--by', 'Dana']);
  expect([wordless.exitCode, wordless.stderr]).toEqual([
    2,
    expect.stringContaining('request "All of ada" has no words; give words to search for'),
  ]);
  const wide = await cli(['search', out, 'weather', '--request', 'All of ada', '--by', 'Dana']);
  expect([wide.exitCode, wide.stdout.split('\n').slice(0, 3)]).toEqual([
    0,
    [
      'Complete in what was searched',
      '1 hit in 3 questions of commit 3',
      "Request All of ada has no words: its record names these as the search's own.",
    ],
  ]);
  expect((await cli(['request', 'show', out, 'All of ada'])).stdout).toMatch(
    /^ {2}search .* by Dana: with “weather”: 1 hit in 3 questions of commit 3$/m,
  );
});

it('a request has what was in doubt where a search looked, and who is not proven complete', async () => {
  people.talk('ada', 's-lost', 'Lost', [{ question: 'the wind', table: 'l.csv', csv: null }]);
  people.talk('cyd', 's-cyd', 'Cyd', [{ question: 'the rain' }]);
  people.talk('cyd', 's-left', 'Left', [{ question: 'never archived' }]);
  await people.rig.export({ users: ['ada'] });
  await people.rig.export({ users: ['cyd'], sessions: ['s-cyd'] });
  await asked('--user', 'ada', '--user', 'cyd', '--match', 'condor');
  await cli(['search', out, ...FOR]);
  const { exitCode, summary } = await handOver(people.rig, ...FOR);
  expect([exitCode, summary().status]).toEqual([3, 'not-proven']);
  await cli(['workbook', out, '--out', inRig('ada.xlsx'), ...FOR]);
  await cli(['report', out, '--out', inRig('for-ada'), ...FOR]);
  const told = ['searched_gap', 'not_proven', 'table_not_searched'].map((kind) => ({
    kind,
    count: 1,
  }));
  const { searches, packs } = await cliJson<{
    readonly searches: readonly { readonly caveats: object[] }[];
    readonly packs: readonly { readonly caveats: object[] }[];
  }>(['request', 'show', out, NAME]);
  expect([searches.length, packs.length]).toEqual([1, 3]);
  for (const { caveats } of [...searches, ...packs]) {
    expect(caveats.slice(0, 3)).toMatchObject(told);
    expect(Object.keys(caveats[0] ?? {})).toEqual(['kind', 'severity', 'count', 'headline']);
  }
  expect((await cli(['verify', out])).exitCode).toBe(0);
});

it('holds name who made the request; searches, packs and workbooks who runs them, or --by', async () => {
  await askedOfAda();
  const own = ['--request', NAME];
  await cli(['hold', 'add', out, ...own]);
  await cli(['search', out, ...own]);
  const { pack } = await handOver(people.rig, ...own);
  await cli(['workbook', out, '--out', inRig('ada.xlsx'), ...own]);
  const by = 'Grace Hopper';
  const { username } = userInfo();
  expect(await cliJson(['request', 'show', out, NAME])).toMatchObject({
    holds: [{ by, reason: 'Art. 15 GDPR' }],
    searches: [{ by: username }],
    packs: [{ by: username }, { by: username, form: 'workbook' }],
  });
  expect(await pack.page('holds')).toMatchObject([{ user_id: 'ada', by }]);
  const another = await cliJson(['hold', 'add', out, ...own, '--user', 'ben', '--by', 'Dana']);
  expect(another).toMatchObject({ holds: [{ by, set_by: 'Dana' }] });
  const asked = ['--session', 's-ben', '--by', 'Dana', '--asked-by', 'the Labour court'];
  const named = await cli(['hold', 'add', out, ...own, ...asked]);
  // only a hold for no request is told to everybody
  expect(named.stdout).toMatch(
    /^Held in commit \d+: conversation s-ben\nFrom now on, jobvault will [^\n]*\n$/,
  );
  const of = { by: 'the Labour court', set_by: 'Dana', reason: 'Art. 15 GDPR' };
  expect(await cliJson(['request', 'show', out, NAME])).toMatchObject({ holds: [{}, {}, of] });
  expect(await shown()).toMatch(
    /^ {2}hold {6}conversation s-ben, .* UTC by Dana, asked by the Labour court: in force$/m,
  );
  const { stdout } = await cli(['hold', 'list', out]);
  expect(stdout).toContain('for the Labour court (request Matter 7), set by Dana');
});

it('a request has the digest of the workbook made for it, whose cover names it', async () => {
  await askedOfAda();
  const file = inRig('ada.xlsx');
  const words = ['workbook', out, '--out', file, ...FOR];
  const { exitCode, stdout } = await cli(words);
  const digest = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  expect([exitCode, stdout]).toEqual([
    3,
    expect.stringContaining(
      `  request   Matter 7; its record has the digest of the workbook\n  digest    ${digest}: the SHA-256 of the file\n`,
    ),
  ]);
  expect((await shown()).replaceAll(/\d\d:\d\d UTC/g, 'hh:mm')).toContain(
    `\n  workbook  ${today} hh:mm by Dana: 1 conversation, 1 question of commit 2; digest ${digest}\n`,
  );
  expect(await cliJson(['request', 'show', out, NAME])).toMatchObject({
    packs: [{ form: 'workbook', digest, by: 'Dana' }],
  });
  const { sheets } = await readXlsx(await readFile(file));
  expect(sheets[0]?.rows).toContainEqual([
    'Request',
    NAME,
    `of ${today}, asked by Grace Hopper: Art. 15 GDPR`,
  ]);
  expect((await cli(['verify', out])).exitCode).toBe(0);
  const both = await cli([...words, '--user', 'ben']);
  expect([both.exitCode, both.stderr]).toEqual([
    2,
    expect.stringContaining('says who and what is meant; leave out --user'),
  ]);
});

it("a request has the digest of the report's list of files, whose first page names it", async () => {
  await askedOfAda();
  const directory = inRig('for-ada');
  const words = ['report', out, '--out', directory, ...FOR];
  const { exitCode, stdout } = await cli(words);
  const list = await readFile(join(directory, 'data/jobvault-files.sha256'));
  const digest = createHash('sha256').update(list).digest('hex');
  expect([exitCode, stdout]).toEqual([
    3,
    expect.stringContaining(
      `  request  Matter 7; its record has the digest of the report\n  digest   ${digest}: that of data/jobvault-files.sha256, which lists its files for sha256sum -c\n`,
    ),
  ]);
  for (const line of list.toString().trimEnd().split('\n')) {
    const file = await readFile(join(directory, line.slice(66)));
    expect(createHash('sha256').update(file).digest('hex'), line).toBe(line.slice(0, 64));
  }
  expect(list.toString()).toContain('  index.html\n');
  expect((await shown()).replaceAll(/\d\d:\d\d UTC/g, 'hh:mm')).toContain(
    `\n  report    ${today} hh:mm by Dana: 1 conversation, 1 question, 0 files of commit 2; digest ${digest}\n`,
  );
  const page = await readFile(join(directory, 'index.html'), 'utf8');
  expect(page).toContain(
    `<h2>Made for a request</h2><ul><li>Matter 7 of ${today}, asked by Grace Hopper: Art. 15 GDPR</li></ul>`,
  );
  // whoever gets it learns of no other request
  expect(page).not.toContain('Open requests');
  expect((await cli(['verify', out])).exitCode).toBe(0);
  const refused = await cli([...words, '--user', 'ben']);
  const told = expect.stringContaining('says who and what is meant; leave out --user') as unknown;
  expect([refused.exitCode, refused.stderr]).toEqual([2, told]);
  expect(await cliJson(['status', out])).toMatchObject({
    open_requests: [{ packs: 0, workbooks: 0, reports: 1 }],
  });
  expect((await cli(['request', 'list', out])).stdout).toMatch(/ {2}1 report\n$/);
});

it('a request is in the status while it is open, and in the list also afterwards', async () => {
  await askedOfAda();
  const line = `open request               Matter 7, asked by Grace Hopper (${today}): no pack yet`;
  expect((await cli(['status', out])).stdout.replaceAll(/ +/g, ' ')).toContain(
    line.replaceAll(/ +/g, ' '),
  );
  expect(await cliJson(['status', out])).toMatchObject({
    open_requests: [{ request: NAME, by: 'Grace Hopper', packs: 0, workbooks: 0, reports: 0 }],
  });
  const unjudged = ['--undated', 'exclude', ...FOR];
  await cli(['workbook', out, '--out', inRig('ada.xlsx'), ...unjudged]);
  await handOver(people.rig, ...unjudged);
  const made = 'by Grace Hopper';
  expect((await cli(['status', out])).stdout).toMatch(
    new RegExp(`Matter 7, asked ${made} \\(${today}\\): 1 pack, 1 workbook\n`),
  );
  expect(await cliJson(['status', out])).toMatchObject({
    open_requests: [{ packs: 1, workbooks: 1 }],
  });
  await cli(['request', 'close', out, NAME, '--reason', 'answered', '--by', 'Dana']);
  expect(await cliJson(['status', out])).toMatchObject({ open_requests: [] });
  expect((await cli(['request', 'list', out])).stdout).toBe(
    'request   since       asked by      about                                       made for it         closed\n' +
      `Matter 7  ${today}  Grace Hopper  ada: questions with “falcon” to 2026-01-10  1 pack, 1 workbook  ${today} by Dana: answered\n`,
  );
  expect(await cliJson(['request', 'list', out])).toMatchObject({
    requests: [{ request: NAME, users: ['ada'], close_reason: 'answered', holds: [] }],
  });
});

it('a request is on the first page of a report that shows whom it is about, while it is open', async () => {
  await askedOfAda();
  const listed = async (name: string, ...words: string[]) => {
    await cli(['report', out, '--out', inRig(name), ...words]);
    const page = await readFile(join(inRig(name), 'index.html'), 'utf8');
    return /<h2>Open requests<\/h2>.*?<\/section>/s.exec(page)?.[0];
  };
  const told = `Grace Hopper, ${today}; about ada: questions with “falcon” to 2026-01-10; no pack yet`;
  const line = `<li><strong dir="auto">Matter 7</strong>: asked by ${told}</li>`;
  expect(await listed('all')).toContain(line);
  expect(await listed('ada', '--user', 'ada')).toContain(line);
  expect(await listed('ben', '--user', 'ben')).toBeUndefined();
  await cli(['request', 'close', out, NAME, '--reason', 'answered', '--by', 'Dana']);
  expect(await listed('later')).toBeUndefined();
});

it.each([
  ['--user', 'ben'],
  ['--session', 's-ada'],
  ['--match', 'weather'],
  ['--from', '2025'],
])('a request says who and what is meant: a pack for it with %s is refused', async (...words) => {
  await askedOfAda();
  const { exitCode, stderr } = await cli(['evidence', out, '--out', `${out}-p`, ...FOR, ...words]);
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringContaining(
      `request "Matter 7" says who and what is meant; leave out ${words[0]}, or record another request`,
    ),
  ]);
});

it.each([
  [['--match', '"open'], 'a quote in "\\"open" is not closed; a phrase needs two'],
  [['--in', 'name'], '--in says where words are looked for; give --match'],
  [['--from', '2026-03', '--to', '2026-01'], 'ends before it begins'],
  [['--user', 'eve'], 'has no user "eve"'],
])('a request is refused where nobody could search for it: %s', async (words, message) => {
  const { exitCode, stderr } = await asked(...words);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(await cliJson(['request', 'list', out])).toEqual({ requests: [] });
});

it('a request must be there and open for what is made for it', async () => {
  const unknown = await cli(['search', out, ...FOR]);
  expect([unknown.exitCode, unknown.stderr]).toEqual([
    2,
    expect.stringContaining('has no request "Matter 7"; jobvault request new records one'),
  ]);
  await askedOfAda();
  await cli(['request', 'close', out, NAME, '--reason', 'answered', '--by', 'Dana']);
  const late = await handOver(people.rig, ...FOR);
  expect([late.exitCode, late.stderr]).toEqual([
    2,
    expect.stringContaining(`request "Matter 7" was closed on ${today} by Dana; record a new one`),
  ]);
  const nothing = await cli(['search', out]);
  expect([nothing.exitCode, nothing.stderr]).toEqual([
    2,
    expect.stringContaining('nothing is named to look for; give words, or --request'),
  ]);
});

describe('closing a request', () => {
  const NO_ERASURE =
    'Nothing was erased for it, and nothing can be any more: if it asked for an erasure, record another request (jobvault request new) and erase for that one before it is closed.\n';
  const close = ['--reason', 'answered', '--by', 'Dana'];
  beforeEach(async () => {
    await askedOfAda();
    await cli(['hold', 'add', out, ...FOR]);
  });
  const binding = async () => {
    const { holds } = await cliJson<{ holds: { released_at: string | null }[] }>([
      ...['hold', 'list', out],
    ]);
    return holds.filter(({ released_at: at }) => at === null).length;
  };

  it('says which holds stay in force, where nobody can be asked', async () => {
    expect((await cli(['request', 'close', out, NAME, ...close])).stdout).toBe(
      'Closed in commit 4: request Matter 7\n' +
        NO_ERASURE +
        'Still on hold: 1 hold (user ada).\n' +
        `Next: jobvault hold release ${out} --request 'Matter 7' --reason TEXT ends that.\n`,
    );
    expect(await binding()).toBe(1);
  });

  it('names the key with what is to be done next, where the archive is signed', async () => {
    const key = inRig('the key.pem');
    await writeFile(key, ed25519Pair().privateKey, { mode: 0o600 });
    const words = ['request', 'close', out, NAME, ...close, '--signing-key', key];
    expect((await cli([...words, '--start-signing'])).stdout).toBe(
      'Closed in commit 4: request Matter 7\n' +
        NO_ERASURE +
        'Still on hold: 1 hold (user ada).\n' +
        `Next: jobvault hold release ${out} --request 'Matter 7' --reason TEXT --signing-key '${key}' ends that.\n`,
    );
  });

  it('releases them with --release-holds', async () => {
    const words = [NAME, ...close, '--release-holds'];
    expect((await cli(['request', 'close', out, ...words])).stdout).toBe(
      `Closed in commit 4: request Matter 7\n${NO_ERASURE}Released with it: 1 hold (user ada)\n`,
    );
    expect(await binding()).toBe(0);
    const minutes = (await shown()).replaceAll(/\d\d:\d\d UTC/g, 'hh:mm');
    expect(minutes).toContain(`: released ${today} hh:mm by Dana: answered\n`);
    expect(minutes).toContain(`closed    ${today} hh:mm by Dana: answered\n`);
    const person = 'for Grace Hopper (request Matter 7), set by Dana';
    const list = (await cli(['hold', 'list', out])).stdout;
    expect(list.replace(/^[0-9A-Z]{8} /m, 'THE-HOLD ')).toBe(
      `hold      held      since       ${'by'.padEnd(person.length)}  reason        released\n` +
        `THE-HOLD  user ada  ${today}  ${person}  Art. 15 GDPR  ${today} by Dana: answered\n`,
    );
    expect(await cliJson(['hold', 'list', out])).toMatchObject({
      holds: [{ by: 'Grace Hopper', set_by: 'Dana' }],
    });
  });

  it('leaves holds that can be released for it later, and others as they are', async () => {
    await cli(['hold', 'add', out, '--user', 'ada', '--reason', 'Matter 8']);
    await cli(['request', 'close', out, NAME, ...close]);
    const released = await cli([
      'hold',
      'release',
      '--yes',
      out,
      '--request',
      NAME,
      '--reason',
      'ended',
    ]);
    expect([released.exitCode, released.stdout]).toEqual([
      0,
      'Released in commit 6: user ada\nOther holds stay until each is released: user ada (1 hold)\n',
    ]);
    expect(await binding()).toBe(1);
  });

  it.each([
    ['n', 1],
    ['y', 0],
  ])('asks at a terminal; the answer %s leaves %i in force', async (answer, left) => {
    const words = ['request', 'close', out, NAME, ...close];
    const { stderr } = await cliOnTerminal(words, { stdin: `${answer}\n` });
    expect(stderr).toContain('Release 1 hold (user ada) as well? [y/N]');
    expect(await binding()).toBe(left);
  });
});

it('requests are signed where the archive is signed, and packs are not made without the key', async () => {
  const pair = ed25519Pair();
  const key = inRig('key.pem');
  const publicKey = inRig('public.pem');
  await writeFile(key, pair.privateKey, { mode: 0o600 });
  await writeFile(publicKey, pair.publicKey);
  const first = await asked('--user', 'ada', '--signing-key', key, '--start-signing');
  expect(first.stderr).toBe('');
  expect(await shown()).toMatch(/^ {2}record {4}commit 2, signed with the key [0-9a-f]{16}…$/m);
  const second = ['--user', 'ada', '--reason', 'x', ...BY, '--signing-key', key];
  expect((await cli(['request', 'new', out, 'Matter 8', ...second])).stderr).toBe('');
  const unsigned = await handOver(people.rig, ...FOR);
  expect([unsigned.exitCode, unsigned.stderr]).toEqual([2, expect.stringContaining('signed')]);
  const signed = await handOver(people.rig, ...FOR, '--signing-key', key);
  expect(signed.exitCode).toBe(0);
  expect((await cli(['verify', out, '--public-key', publicKey])).exitCode).toBe(0);
});

it("requests are vouched for by the erasure's key where it has redacted them", async () => {
  const [before, after] = [ed25519Pair().privateKey, ed25519Pair().privateKey];
  {
    await using archive = await openArchive(out, { signer: startingSigner(before) });
    const why = { reason: 'Art. 15', by: 'Dana' };
    await archive.newRequest({ name: NAME, users: ['ada', 'ben'], ...why });
  }
  const signer = { ...ed25519Signer(after), mayReplaceKey: true };
  await using archive = await openArchive(out, { signer });
  const { commit } = await archive.request(NAME);
  expect(await archive.signedBy(commit)).toBe(ed25519Signer(before).publicKeyId);
  await archive.erase({ users: ['ben'] });
  expect(await archive.signedBy(commit)).toBe(signer.publicKeyId);
});

it('requests lose a person with an erasure, without a trace of who and what was meant', async () => {
  await asked('--user', 'ada', '--user', 'ben', '--match', 'secret-of-ben');
  await cli(['hold', 'add', out, ...FOR]);
  await cli(['search', out, ...FOR]);
  await handOver(people.rig, ...FOR);
  await cli(['request', 'close', out, NAME, '--reason', 'told ben', '--release-holds']);
  expect((await cli(['erase', out, '--user', 'ben', '--yes'])).exitCode).toBe(0);
  expect(await cliJson(['request', 'list', out])).toMatchObject({
    requests: [
      {
        request: NAME,
        users: ['ada', '[erased]'],
        match: '[erased]',
        searches: [{ match: '[erased]', matches: 1 }],
        packs: [{ jobs: 1 }],
        close_reason: '[erased]',
      },
    ],
  });
  expect(await grepArchive(out, ['secret-of-ben', '"ben"', 'told ben'])).toEqual([]);
  expect((await cli(['verify', out])).exitCode).toBe(0);
});

it('requests stay in a compacted archive and in its copy, and a pseudonymised copy has none', async () => {
  await askedOfAda();
  await cli(['compact', out]);
  const [copy, without] = [inRig('copy'), inRig('without')];
  expect((await cli(['copy', out, copy])).exitCode).toBe(0);
  expect(await cliJson(['request', 'list', copy])).toMatchObject({
    requests: [{ request: NAME }],
  });
  const secret = inRig('secret');
  await writeFile(secret, 'k'.repeat(64));
  expect((await cli(['copy', out, without, '--pseudonymise', secret])).exitCode).toBe(0);
  expect(await cliJson(['request', 'list', without])).toEqual({ requests: [] });
});

it('requests in an archive are made and closed by programs, too', async () => {
  await using archive = await openArchive(out);
  await archive.newRequest({
    name: NAME,
    reason: 'x',
    by: 'Grace',
    users: ['ada'],
    match: 'falcon',
  });
  const forRequest = { name: NAME, by: 'Dana' };
  expect(await archive.hold({ by: 'Dana', request: NAME })).toMatchObject([{ reason: 'x' }]);
  expect(await archive.search(undefined, { forRequest })).toMatchObject({ matches: 2 });
  const { digest } = await archive.evidence(inRig('pack'), { forRequest });
  expect(await archive.request(NAME)).toMatchObject({
    searches: [{ by: 'Dana', matches: 2 }],
    packs: [{ digest }],
  });
  const closed = await archive.closeRequest({ name: NAME, reason: 'answered', by: 'Dana' });
  expect(closed).toMatchObject({ released: [], held: [{ user: 'ada' }] });
  expect(await archive.requests()).toMatchObject([{ closed: { reason: 'answered' } }]);
});

it('who made it stands in the pack, the workbook and the report, also of no request', async () => {
  const by = ['--user', 'ada', '--by', 'Dana Scully'];
  const place = (name: string) => join(people.rig.directory, name);
  await cli(['evidence', out, ...by, '--out', place('by-pack')]);
  await cli(['report', out, ...by, '--out', place('by-report')]);
  await cli(['workbook', out, ...by, '--out', place('by.xlsx')]);
  const text = (path: string) => readFile(place(path), 'utf8');
  expect(await text('by-pack/bag-info.txt')).toContain('Contact-Name: Dana Scully');
  const said = /[Mm]ade .* by Dana Scully with jobvault/;
  expect(await text('by-pack/data/README.txt')).toMatch(said);
  expect(await text('by-pack/data/index.html')).toMatch(said);
  expect(await text('by-report/index.html')).toMatch(said);
  const { sheets } = await readXlsx(await readFile(place('by.xlsx')));
  expect(JSON.stringify(sheets[0]?.rows)).toContain('by Dana Scully with jobvault');
});
