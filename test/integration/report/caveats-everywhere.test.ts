/** Kinds of caveat × outputs: an archive has every kind, and each output says each of them in the same words, what is missing first. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  CAVEAT_KINDS,
  type Caveat,
  type CaveatKind,
} from '../../../src/archive/reading/caveats/caveat.js';
import { completenessOf, headlineOf } from '../../../src/archive/reading/caveats/caveat-text.js';
import type { OpenArchive } from '../../../src/library/open-archive.js';
import { openArchive } from '../../../src/library/operations.js';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import type { ToolAnswer } from '../../../src/mcp/answer-text.js';
import { TOOLS } from '../../../src/mcp/tools.js';
import { cli, cliJson, cliOnTerminal } from '../../support/programs/cli-in-process.js';
import { CaveatsRig, NOBODY, REQUEST, SEARCH } from '../../support/rigs/caveats-rig.js';

interface Told {
  readonly status: string;
  readonly caveats: readonly Caveat[];
  readonly search: { readonly total: number; readonly searched: number } | null;
}

interface Product {
  readonly caveats: readonly Caveat[];
  readonly exitCode: number;
}

interface Output extends Product {
  /** What people read of it, on one line. */
  readonly texts: Readonly<Record<string, string>>;
}

const MADE = ['report', 'workbook', 'evidence'] as const;
type Made = (typeof MADE)[number];
/** What is known of files and jobs, which a search does not read: it names the sessions that have gaps. */
const NOT_OF_SEARCH: readonly CaveatKind[] = [
  'lost_file',
  'gap',
  'accepted_gap',
  'doubted',
  'hold',
  'other_hold',
];
/** What is known of the archive as a whole, of the bytes of files and of a request. */
const NOT_OF_SHOW: readonly CaveatKind[] = ['erasures', 'lost_file', 'other_hold'];
const SEARCHED = 'A search';
/** Its request has decisions. */
const DECIDED = 'Decided';
const ABOUT_ADA = ['--user', 'ada', ...SEARCH];

let rig: CaveatsRig;
let copy: string;
const outputs = new Map<string, Output>();

beforeAll(async () => {
  rig = await CaveatsRig.start();
  const asked = ['--by', 'Grace', '--reason', 'Art. 15'];
  await cli(['request', 'new', rig.out, SEARCHED, ...ABOUT_ADA, ...asked]);
  await cli(['request', 'new', rig.out, DECIDED, '--user', 'ada', '--user', 'ben', ...asked]);
  for (const [decision, session] of [
    ['withhold', 's-ben'],
    ['redact', 's-5'],
  ] as const) {
    const why = ['--session', session, '--reason', 'privileged', '--by', 'Dana'];
    await cli(['request', 'decide', rig.out, DECIDED, decision, ...why]);
  }
  for (const made of MADE) {
    outputs.set(`${made} with decisions`, await make(made, rig.out, ['--request', DECIDED]));
    outputs.set(`${made} of a search`, await make(made, rig.out, ['--request', SEARCHED]));
    outputs.set(`${made} for a request`, await make(made, rig.out, ['--request', REQUEST]));
    outputs.set(`${made} of cleo`, await make(made, rig.out, ['--user', 'cleo']));
  }
  copy = await rig.copy();
  for (const made of MADE.slice(0, 2)) {
    const words = made === 'report' ? [] : ['--from', '2020'];
    outputs.set(`${made} of a copy`, await make(made, copy, words));
  }
}, 120_000);
afterAll(() => rig[Symbol.asyncDispose]());

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function textOfPage(html: string): string {
  const [, body = ''] = html.split('<h1');
  const entities = body.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&#39;', "'");
  return onOneLine(entities.replace(/^[^>]*>/, '').replace(/<[^>]*>/g, ''));
}

async function coverOf(path: string): Promise<string> {
  const { sheets } = await readXlsx(await readFile(path));
  return (sheets[0]?.rows ?? [])
    .map((row) => row.filter((cell) => cell !== null).join(': '))
    .join(' ');
}

let places = 0;
const placeFor = (made: Made): string =>
  rig.beside(`made-${++places}${made === 'workbook' ? '.xlsx' : ''}`);

const products = new Map<string, Promise<Product>>();

/** As JSON tells it; made once for the same words, since no test changes what it says. */
function product(made: Made, words: readonly string[]): Promise<Product> {
  const key = JSON.stringify([made, words]);
  const found = products.get(key) ?? makeProduct([made, rig.out, ...words], placeFor(made));
  products.set(key, found);
  return found;
}

async function makeProduct(words: readonly string[], out: string): Promise<Product> {
  const json = await cli([...words, '--allow-lost-files', '--out', out, '--json']);
  return { caveats: rig.caveatsIn(json.stdout), exitCode: json.exitCode };
}

async function make(made: Made, archive: string, words: readonly string[]): Promise<Output> {
  const given = [made, archive, ...words];
  if (words.includes('--request')) given.push('--by', 'Grace');
  const shown = await cli([...given, '--allow-lost-files', '--out', placeFor(made)]);
  const out = placeFor(made);
  const json = await makeProduct(given, out);
  const texts: Record<string, string> = { terminal: onOneLine(shown.stdout) };
  const data = made === 'evidence' ? join(out, 'data') : out;
  if (made === 'workbook') texts['cover'] = onOneLine(await coverOf(out));
  else texts['page'] = textOfPage(await readFile(join(data, 'index.html'), 'utf8'));
  if (made === 'evidence') {
    texts['README.txt'] = onOneLine(await readFile(join(data, 'README.txt'), 'utf8'));
  }
  return { ...json, texts };
}

async function asked(archive: OpenArchive, tool: string, given: object): Promise<ToolAnswer> {
  const limits = { memoryBytes: 5e8, maxFetchBytes: 1e9 };
  const call = { archive, limits, onProgress: () => undefined };
  return TOOLS.find(({ name }) => name === tool)!.run(call, given);
}

const today = (): string => new Date(rig.rig.clock.now()).toISOString().slice(0, 10);

async function statusOf(): Promise<ArchiveStatus> {
  const { stdout } = await cli(['status', rig.out, '--json']);
  return JSON.parse(stdout) as ArchiveStatus;
}

const kindsOf = (caveats: readonly Caveat[]): CaveatKind[] => caveats.map(({ kind }) => kind);

it('every kind of caveat there is stands in one archive or its copy', async () => {
  const told = new Set([...outputs.values()].flatMap(({ caveats }) => kindsOf(caveats)));
  for (const words of [[], ['--user', NOBODY]]) {
    const { caveats } = await product('report', words);
    for (const kind of kindsOf(caveats)) told.add(kind);
  }
  const { stdout } = await cli(['search', copy, 'falcon', '--json']);
  for (const kind of kindsOf((JSON.parse(stdout) as Told).caveats)) told.add(kind);
  // an archive that has anything does not say this; of a request of which somebody was erased, a test of its own looks for it
  for (const kind of ['nothing_archived', 'erased_of_request'] as const) told.add(kind);
  expect([...told].toSorted()).toEqual([...CAVEAT_KINDS].toSorted());
});

it.each(
  MADE.flatMap((made) =>
    ['of a search', 'for a request', 'with decisions', 'of cleo', 'of a copy'].map((of) => [
      made,
      of,
    ]),
  ),
)('a %s %s says each caveat in the same words wherever people read it', (made, of) => {
  const output = outputs.get(`${made} ${of}`);
  if (!output) {
    expect([made, of]).toEqual(['evidence', 'of a copy']);
    return;
  }
  for (const [place, text] of Object.entries(output.texts)) {
    for (const { kind, headline, why } of output.caveats) {
      expect([place, kind, text.includes(headline)]).toEqual([place, kind, true]);
      const isSaid = why === null || text.includes(why);
      expect([place, kind, isSaid]).toEqual([place, kind, true]);
    }
  }
});

it('what is missing is said first, on paper, on the page, in README.txt and on the terminal', () => {
  for (const { caveats, texts } of outputs.values()) {
    const headline = headlineOf(caveats);
    expect(headline).toMatch(/^Not complete(, by decision)?: /);
    expect(texts['terminal']?.startsWith(headline)).toBe(true);
    for (const [place, text] of Object.entries(texts)) {
      const before = text.slice(0, text.indexOf(headline));
      expect([place, text.includes(headline), before.length < 60]).toEqual([place, true, true]);
    }
  }
});

it('the report, the workbook and the pack of one question have the same caveats', () => {
  for (const of of ['of a search', 'for a request', 'with decisions', 'of cleo']) {
    const [first, ...others] = MADE.map((made) => outputs.get(`${made} ${of}`));
    const told = (output: Output | undefined) =>
      output?.caveats.map(({ kind, count, total: all, open }) => [kind, count, all, open]);
    for (const other of others) expect(told(other)).toEqual(told(first));
    expect(others.map((other) => other?.exitCode)).toEqual(others.map(() => first?.exitCode));
  }
});

it('a pack of one conversation of eight, seven erased since, says that before anything else', () => {
  const { caveats, texts, exitCode } = outputs.get('evidence of cleo')!;
  expect(caveats.map(({ kind, count, total }) => [kind, count, total])).toEqual([
    ['erased', 7, 8],
    ['erasures', 1, null],
  ]);
  const said = 'Not complete, by decision: 7 of 8 conversations were erased';
  expect(texts['README.txt']).toMatch(new RegExp(`^EVIDENCE PACK ${said} `));
  expect(texts['page']).toMatch(new RegExp(`^Evidence pack ?${said}`));
  expect(exitCode).toBe(0);
});

it.each([
  ['leaves out', []],
  ['excludes', ['--undated', 'exclude']],
  ['takes in', ['--undated', 'include']],
])(
  'the counts of a search that %s what has no date add up to what the period has',
  async (_, undated) => {
    const counts: unknown[] = [];
    for (const [command, words] of [
      ['search', ['falcon', ...SEARCH.slice(2)]],
      ['report', [...SEARCH, '--out', rig.beside(`sum-${++places}`)]],
      ['workbook', [...SEARCH, '--out', rig.beside(`sum-${++places}.xlsx`)]],
      ['evidence', [...SEARCH, '--out', rig.beside(`sum-${++places}`)]],
    ] as const) {
      const given = [command, rig.out, ...words, '--user', 'ada', ...undated, '--json'];
      const lost = command === 'search' ? [] : ['--allow-lost-files'];
      const { stdout } = await cli([...given, ...lost]);
      const { caveats, ...told } = JSON.parse(stdout) as Told & NonNullable<Told['search']>;
      const { total, searched } = told.search ?? told;
      const of = (kind: CaveatKind) => caveats.find((one) => one.kind === kind)?.count ?? 0;
      const rest = undated[1] === 'include' ? 0 : of('left_out') + of('undated');
      counts.push([total, searched + rest]);
    }
    expect(counts).toEqual(Array(4).fill([12, 12]));
  },
);

it('a search says its caveats on the terminal, in JSON, to an assistant; fails if undecided', async () => {
  const words = ['search', rig.out, 'falcon', ...SEARCH.slice(2), '--user', 'ada'];
  const json = await cli([...words, '--json']);
  const { caveats } = JSON.parse(json.stdout) as Told;
  const ofReport = kindsOf(outputs.get('report of a search')!.caveats);
  expect(kindsOf(caveats)).toEqual(ofReport.filter((kind) => !NOT_OF_SEARCH.includes(kind)));
  expect(json.exitCode).toBe(3);
  await using archive = await openArchive(rig.out);
  const [, from, , to] = SEARCH.slice(2);
  const given = { words: 'falcon', user: 'ada', from, to };
  const answer = await asked(archive, 'search', given);
  const shown = onOneLine((await cli(words)).stdout);
  const assistant = answer.says.join(' ');
  for (const { headline } of caveats) {
    expect([headline, shown.includes(headline), assistant.includes(headline)]).toEqual([
      headline,
      true,
      true,
    ]);
  }
  expect(assistant).not.toContain('ada');
  expect(answer.says[0]).toMatch(/^Not complete: /);
});

it('the caveats of a search are those of all that it finds, however few it lists', async () => {
  const told: unknown[] = [];
  for (const limit of [[], ['--limit', '1'], ['--limit', '100']]) {
    const words = ['search', rig.out, 'falcon', ...SEARCH.slice(2), ...limit, '--json'];
    const { caveats } = JSON.parse((await cli(words)).stdout) as Told;
    told.push(caveats.map(({ kind, count, open }) => [kind, count, open]));
  }
  expect(told[0]).toContainEqual(['absent', 1, false]);
  expect(told.slice(1)).toEqual([told[0], told[0]]);
  const { caveats } = await product('report', SEARCH);
  const ofReport = caveats.filter(({ kind }) => !NOT_OF_SEARCH.includes(kind));
  expect(told[0]).toEqual(ofReport.map(({ kind, count, open }) => [kind, count, open]));
});

it('query says the caveats of the archive beside its rows, which stay as they are, and in JSON', async () => {
  const words = ['query', rig.out, 'SELECT 1 AS one'];
  await using archive = await openArchive(rig.out);
  const caveats = await archive.caveats();
  const { stdout, stderr, exitCode } = await cli([...words, '--log-format', 'json']);
  expect([stdout, exitCode]).toEqual(['one\n1\n', 0]);
  const lines = stderr.trim().split('\n');
  const [first, ...told] = lines.map((line) => JSON.parse(line) as { kind?: string; msg: string });
  expect([first?.msg, ...told.map(({ kind }) => kind)]).toEqual([
    headlineOf(caveats),
    ...kindsOf(caveats),
  ]);
  const shown = await cliOnTerminal(words);
  expect(shown.stderr.startsWith('Not complete: ')).toBe(true);
  for (const { headline } of caveats) expect(onOneLine(shown.stderr)).toContain(headline);
  const json = await cli([...words, '--json']);
  expect(rig.caveatsIn(json.stdout)).toEqual(JSON.parse(JSON.stringify(caveats)));
  expect([json.stderr, json.exitCode]).toEqual(['', 0]);
});

it('query leaves out notes with --quiet, and all that is missing with a log level of errors', async () => {
  const words = ['query', rig.out, 'SELECT 1 AS one'];
  const { stderr } = await cli([...words, '--quiet', '--log-format', 'json']);
  const told = stderr.trim().split('\n');
  const severities = told.map((line) => (JSON.parse(line) as Partial<Caveat>).severity);
  expect(new Set(severities)).toEqual(new Set([undefined, 'missing', 'doubt']));
  expect((await cli([...words, '--log-level', 'error'])).stderr).toBe('');
});

it('every output says first of a user who was never listed that the id may be mistyped', async () => {
  const said = `the service lists no conversation of 1 user, and none is archived`;
  const headline = `complete, leaving aside what was erased: the archive has 1 erasure (7 conversations), of ${today()}; if the id is right: ${said}`;
  for (const made of MADE) {
    const { texts, exitCode } = await make(made, rig.out, ['--user', NOBODY]);
    for (const [place, text] of Object.entries(texts)) {
      expect([place, text.includes(`C${headline.slice(1)}`)]).toEqual([place, true]);
    }
    expect([made, exitCode]).toEqual([made, 0]);
  }
  const { stdout } = await cli(['status', rig.out, '--user', NOBODY]);
  expect(onOneLine(stdout)).toContain(`${NOBODY}: ${headline}`);
  const { users, never_seen } = await statusOf();
  expect([users.never_seen, never_seen[0]]).toEqual([never_seen.length, NOBODY]);
  const found = await cli(['search', rig.out, 'falcon', '--user', NOBODY]);
  expect(onOneLine(found.stdout)).toContain(said);
});

it('the summary of a pack calls nobody complete whom the service has never listed', async () => {
  const out = rig.beside(`made-${++places}`);
  await cli(['evidence', rig.out, '--user', NOBODY, '--out', out]);
  const [heading = '', row = ''] = (await readFile(join(out, 'data', 'summary.csv'), 'utf8')).split(
    '\r\n',
  );
  const at = heading.split(',').indexOf('complete');
  expect([at > 0, row.split(',')[at]]).toEqual([true, 'never seen']);
  const readme = onOneLine(await readFile(join(out, 'data', 'README.txt'), 'utf8'));
  expect(readme).toContain('"never seen": ');
});

it('users whom the last export was to read and has not are missing in what is of everybody', async () => {
  for (const made of MADE) {
    const words = made === 'workbook' ? ['--from', '1970-01-01'] : [];
    const { caveats, exitCode } = await product(made, words);
    const unread = caveats.find(({ kind }) => kind === 'unread_users');
    expect([unread?.headline, unread?.open]).toEqual([
      'at least 6 of the 14 users of the last export were never read, or erased since',
      true,
    ]);
    expect(exitCode).toBe(3);
  }
  const { caveats } = outputs.get('report of cleo')!;
  expect(kindsOf(caveats)).not.toContain('unread_users');
  const { stdout, exitCode } = await cli(['search', rig.out, 'nothing-has-this']);
  expect([onOneLine(stdout).slice(0, 200), exitCode]).toEqual([
    expect.stringMatching(/^Not complete: .*at least 6 of the 14 users/),
    3,
  ]);
});

it('a user who was never listed as a whole is in doubt until a run lists all: exit code 3', async () => {
  const { caveats, exitCode } = await product('report', ['--user', 'ben', '--session', 's-ben']);
  expect([kindsOf(caveats).includes('not_proven'), exitCode]).toEqual([false, 0]);
  for (const made of MADE) {
    const { exitCode: code, caveats: told } = await product(made, ['--user', 'ben']);
    const unproven = told.find(({ kind }) => kind === 'not_proven');
    expect([made, unproven?.open, code]).toEqual([made, true, 3]);
  }
});

it('a conversation without questions is told by every output, with and without a search', async () => {
  const isOfIt = ({ kind }: Caveat) => kind === 'without_questions';
  for (const made of MADE) {
    for (const [of, count] of Object.entries({ 'of a search': 2, 'for a request': 3 })) {
      const told = outputs.get(`${made} ${of}`)?.caveats.filter(isOfIt);
      expect([made, of, told?.map((caveat) => caveat.count)]).toEqual([made, of, [count]]);
    }
  }
  await using archive = await openArchive(rig.out);
  const { says } = await asked(archive, 'status', {});
  expect(says.join(' ')).toContain('3 conversations have no question: no list of questions has');
  for (const user of [[], ['--user', 'ada']]) {
    const { stdout } = await cli(['status', rig.out, ...user]);
    expect(onOneLine(stdout)).toMatch(/ note [23] conversations have no question: /);
  }
  const { sessions } = JSON.parse(
    (await cli(['status', rig.out, '--json'])).stdout,
  ) as ArchiveStatus;
  expect(sessions.without_questions).toBe(3);
});

it.each([
  ['s-empty', ['without_questions', 'listed_twice', 'hold']],
  ['s-1', ['gap', 'suspicious_file', 'hold']],
  ['s-3', ['accepted_gap', 'hold']],
  ['s-4', ['doubted', 'hold']],
  ['s-5', ['unsettled', 'hold']],
  ['s-gone', ['absent', 'hold']],
])(
  "the conversation %s says a report's caveats in JSON, to people and to an assistant",
  async (session, kinds) => {
    const json = await cli(['show', rig.out, session, '--json']);
    const caveats = rig.caveatsIn(json.stdout);
    expect(kindsOf(caveats)).toEqual(kinds);
    const ofReport = await product('report', ['--session', session]);
    const isOfShow = ({ kind }: Caveat) => !NOT_OF_SHOW.includes(kind);
    expect(caveats).toEqual(ofReport.caveats.filter(isOfShow));
    await using archive = await openArchive(rig.out);
    for await (const one of archive.conversations({ sessions: [session] })) {
      expect(JSON.parse(JSON.stringify(one.caveats))).toEqual(caveats);
    }
    const answer = await asked(archive, 'show', { session });
    const shown = await cli(['show', rig.out, session]);
    for (const { headline, why } of caveats) {
      for (const text of [onOneLine(shown.stdout), answer.says.join(' ')]) {
        expect([headline, text.includes(headline)]).toEqual([headline, true]);
        expect([why, text.includes(why ?? '')]).toEqual([why, true]);
      }
    }
    const isUndecided = caveats.some(({ open }) => open);
    expect([shown.exitCode, json.exitCode]).toEqual(isUndecided ? [3, 3] : [0, 0]);
  },
);

it('one question of a conversation is shown with the caveats of that question alone', async () => {
  await using archive = await openArchive(rig.out);
  const { jobs } = await archive.show('s-1');
  const told: unknown[] = [];
  for (const { job } of jobs) {
    const { caveats } = await archive.show('s-1', { job: job['job_id'] });
    told.push(kindsOf(caveats));
  }
  const file = ['suspicious_file', 'hold'];
  expect(told).toEqual([['hold'], ['gap', 'hold'], ['hold'], file, file, ['hold']]);
});

it('status counts the gaps, files and answers that a report of everybody tells', async () => {
  const { caveats } = await product('report', []);
  const kinds = ['gap', 'doubted', 'accepted_gap', 'suspicious_file', 'unsettled'] as const;
  const told = kinds.map((kind) => caveats.find((one) => one.kind === kind)?.count);
  const { stdout } = await cli(['status', rig.out, '--json']);
  const { gaps, doubts, accepted_gaps, ...status } = JSON.parse(stdout) as ArchiveStatus;
  const open = Object.values(gaps).reduce((sum, count) => sum + count, 0);
  const { suspicious_files: suspicious, jobs } = status;
  expect(told).toEqual([open, doubts, accepted_gaps, suspicious, jobs.unsettled]);
  expect(told).not.toContain(0);
});

it.each([
  ['everybody', undefined],
  ['ada', 'ada'],
  ['cleo', 'cleo'],
])('an assistant is told of %s what a report of the same says', async (_, user) => {
  const report = await product('report', user === undefined ? [] : ['--user', user]);
  const told = (caveats: readonly Caveat[]) =>
    caveats
      .filter(({ kind }) => kind !== 'lost_file')
      .map(({ named, unnamed, ...caveat }) => ({ ...caveat, all: named.length + unnamed }));
  await using archive = await openArchive(rig.out);
  for (const tool of ['status', 'sessions']) {
    const { says, facts } = await asked(archive, tool, { user });
    const { caveats } = JSON.parse(JSON.stringify(facts)) as Told;
    expect(told(caveats)).toEqual(told(report.caveats));
    expect(says[0]).toBe(`${headlineOf(caveats)}.`);
  }
});

it.each([
  ['everybody', []],
  ['ada', ['--user', 'ada']],
  ['cleo', ['--user', 'cleo']],
])('the list of conversations of %s says what a report of the same says', async (_, words) => {
  const report = await product('report', words);
  const caveatsIn = (caveats: readonly Caveat[]) =>
    caveats.flatMap(({ kind, headline, open }) =>
      kind === 'lost_file' ? [] : [[kind, headline, open]],
    );
  const { stdout, exitCode } = await cli(['show', rig.out, ...words, '--json']);
  const { caveats, status } = JSON.parse(stdout) as Told;
  expect(caveatsIn(caveats)).toEqual(caveatsIn(report.caveats));
  expect([status, exitCode]).toEqual([completenessOf(caveats), report.exitCode]);
  const shown = (await cli(['show', rig.out, ...words])).stdout;
  expect(shown.startsWith(`${headlineOf(caveats)}\n`)).toBe(true);
  for (const { headline } of caveats) expect(onOneLine(shown)).toContain(headline);
});

it('the list of conversations marks those with gaps, in doubt, gone or held', async () => {
  const { stdout } = await cli(['show', rig.out]);
  const marksOf = (session: string) =>
    stdout
      .split('\n')
      .find((line) => line.startsWith(session))
      ?.split(/ {2,}/)[3];
  expect(['s-1 ', 's-3 ', 's-4 ', 's-gone', 's-cleo-1'].map(marksOf)).toEqual([
    '1 gap, on hold',
    '1 accepted gap, on hold',
    '1 doubt, on hold',
    'gone, on hold',
    'cleo',
  ]);
});

it('a pack says in its transcripts and items that somebody has accepted that a file is missing', async () => {
  const out = rig.beside(`made-${++places}`);
  await cli(['evidence', rig.out, '--session', 's-3', '--out', out]);
  const said = 'accepted by Grace Hopper: ticket 7';
  expect(await readFile(join(out, 'data', 'items.csv'), 'utf8')).toContain(said);
  const [file = ''] = await readdir(join(out, 'data', 'transcripts'));
  const transcript = await readFile(join(out, 'data', 'transcripts', file), 'utf8');
  expect(transcript).toMatch(/NOT ARCHIVED, missing: .*; accepted by Grace Hopper: ticket 7\n/);
});

it('notes of a first page are folded, with their number; what is missing is open above', async () => {
  const out = rig.beside(`made-${++places}`);
  await cli(['report', rig.out, '--allow-lost-files', '--out', out]);
  const html = await readFile(join(out, 'index.html'), 'utf8');
  const [, count = ''] =
    /<details class="card notes note"><summary>(\d+) notes<\/summary>/.exec(html) ?? [];
  const { caveats } = await product('report', []);
  expect(Number(count)).toBe(caveats.filter(({ severity }) => severity === 'note').length);
  expect(html.indexOf('card notes missing')).toBeLessThan(html.indexOf('card notes note'));
});

it('a query knows the sessions in doubt, and a pack that their histories were read', async () => {
  const { rows } = await cliJson<{ rows: unknown }>(['query', rig.out, 'FROM doubted_sessions']);
  const reason = 'its history has jobs of session s-9';
  expect(rows).toEqual([{ user_id: 'ada', session_id: 's-4', reason, is_accepted: false }]);
  const out = rig.beside(`made-${++places}`);
  await cli(['evidence', rig.out, '--session', 's-4', '--out', out]);
  expect(await readFile(join(out, 'data', 'items.csv'), 'utf8')).toContain(',history_in_doubt,');
  const texts = await readdir(join(out, 'data', 'transcripts'), { recursive: true });
  const [file = ''] = texts.filter((name) => name.endsWith('.txt'));
  expect(await readFile(join(out, 'data', 'transcripts', file), 'utf8')).toContain('in doubt: ');
});

it('the list of gaps of a page says who has accepted one', async () => {
  const out = rig.beside(`made-${++places}`);
  await cli(['report', rig.out, '--allow-lost-files', '--out', out]);
  const gaps = await readFile(join(out, 'data', 'gaps.js'), 'utf8');
  expect(gaps.match(/"meaning":"accepted by [^"]+: /g)).toHaveLength(1);
});

it('the record of a request says for each product the caveats with which it was handed over', async () => {
  const { stdout } = await cli(['request', 'show', rig.out, SEARCHED]);
  const record = onOneLine(stdout);
  const { caveats } = outputs.get('evidence of a search')!;
  for (const { headline } of caveats) {
    expect([headline, record.split(headline).length > 2 * MADE.length]).toEqual([headline, true]);
  }
});

it('a hold that binds a conversation is named with its reason where the conversation is shown', async () => {
  const asked = ['--session', 's-cleo-1', '--reason', 'Audit 3', '--by', 'Ada L'];
  await cli(['hold', 'add', rig.out, ...asked]);
  const { stdout } = await cli(['show', rig.out, 's-cleo-1']);
  expect(onOneLine(stdout)).toMatch(
    /1 hold binds what is here: what is held is neither deleted nor erased/,
  );
  expect(onOneLine(stdout)).toContain('Audit 3 (asked for by Ada L, since ');
  const out = rig.beside(`made-${++places}`);
  await cli(['evidence', rig.out, '--session', 's-cleo-1', '--out', out]);
  const texts = await readdir(join(out, 'data', 'transcripts'), { recursive: true });
  const [file = ''] = texts.filter((name) => name.endsWith('.txt'));
  const transcript = await readFile(join(out, 'data', 'transcripts', file), 'utf8');
  expect(transcript).toContain('\non hold: Audit 3 (asked for by Ada L, since ');
});

it('what goes to others names nobody whom it is not about', () => {
  const { texts } = outputs.get('evidence for a request')!;
  const spelling = /nothing is here of 1 user whose id is another spelling of one that is named/;
  expect(texts['page']).toMatch(spelling);
  expect([texts['page'], texts['README.txt']].join(' ')).not.toMatch(/\bAda\b/);
  expect(texts['terminal']).toMatch(/- Ada\b/);
  expect(texts['page']).not.toContain('secret');
});

it('reports of everybody and of all questions name the same users as not proven complete', async () => {
  const all = await product('report', []);
  const everyTime = await product('report', ['--from', '1970-01-01']);
  const unproven = ({ caveats }: Product) => caveats.find(({ kind }) => kind === 'not_proven');
  expect(unproven(everyTime)).toEqual(unproven(all));
});

it('status, the lists of packs and the caveats of every product say of each user the same', async () => {
  const { stdout } = await cli(['status', rig.out, '--json', '--user', 'cleo']);
  const { users, erased } = JSON.parse(stdout) as ArchiveStatus;
  expect([users.incomplete_by_decision, erased]).toEqual([1, 7]);
  for (const words of [[], ['--match', 'falcon'], ['--from', '2020']]) {
    const out = rig.beside(`made-${++places}`);
    await cli(['evidence', rig.out, '--user', 'cleo', ...words, '--out', out]);
    const summary = await readFile(join(out, 'data', 'summary.csv'), 'utf8');
    const [names = '', row = ''] = summary.replace('\ufeff', '').split('\r\n');
    const cell = (column: string) => row.split(',')[names.split(',').indexOf(column)];
    expect([words, cell('complete'), cell('erased')]).toEqual([words, 'by decision', '7']);
  }
});
