/** Kinds of caveat × outputs of a pseudonymised copy: each output says what the others say of it, and what the archive says that it knows. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Caveat, CaveatKind } from '../../../src/archive/reading/caveats/caveat.js';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import { openArchive } from '../../../src/library/operations.js';
import type { ToolAnswer } from '../../../src/mcp/answer-text.js';
import { TOOLS } from '../../../src/mcp/tools.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { CaveatsRig } from '../../support/rigs/caveats-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { grepArchive } from '../../support/store/grep-archive.js';

const EVERY_TIME = ['--from', '1970', '--undated', 'include'];

interface Told {
  readonly caveats: readonly Caveat[];
}

interface Listed extends Told {
  readonly sessions: readonly { readonly session_id: string }[];
}

let rig: CaveatsRig;
let copy: string;
let ofArchive: readonly Caveat[];
let ofCopy: readonly Caveat[];

beforeAll(async () => {
  rig = await CaveatsRig.start();
  ofArchive = (await told(['query', rig.out, 'SELECT 1'])).caveats;
  copy = await rig.copy();
  await rig.copy('copy-with-text', ['--keep-text']);
  ofCopy = (await told(['report', copy, '--out', rig.beside('report-of-copy')])).caveats;
}, 120_000);
afterAll(() => rig[Symbol.asyncDispose]());

async function told<Answer extends Told = Told>(words: readonly string[]): Promise<Answer> {
  const { stdout, stderr } = await cli([...words, '--json']);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Answer;
}

const kindsOf = (caveats: readonly Caveat[]): CaveatKind[] => caveats.map(({ kind }) => kind);

/** What is known of files and jobs, which a search does not read. */
const NOT_OF_SEARCH: readonly CaveatKind[] = ['gap', 'accepted_gap', 'doubted'];

const counted = (caveats: readonly Caveat[]): unknown[] =>
  caveats.map(({ kind, count, severity, open, headline }) => [
    kind,
    count,
    severity,
    open,
    headline,
  ]);

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function textOfPage(html: string): string {
  const text = html.replace(/<[^>]*>/g, '');
  return onOneLine(
    text.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replaceAll('&#39;', "'"),
  );
}

async function coverOf(path: string): Promise<string> {
  const { sheets } = await readXlsx(await readFile(path));
  const rows = sheets[0]?.rows ?? [];
  return onOneLine(rows.map((row) => row.filter((cell) => cell !== null).join(' ')).join(' '));
}

async function askedOfCopy(tool: string, given: object): Promise<ToolAnswer> {
  await using archive = await openArchive(copy);
  const limits = { memoryBytes: 5e8, maxFetchBytes: 1e9 };
  const call = { archive, limits, onProgress: () => undefined };
  return await TOOLS.find(({ name }) => name === tool)!.run(call, given);
}

/** It has no holds, and tells of no user that something of theirs may have been erased; two spellings have two keyed ids. */
const NOT_OF_COPY: readonly CaveatKind[] = [
  'skipped_user',
  'maybe_erased',
  'listed_twice',
  'hold',
  'other_hold',
];

it('a copy says each kind of caveat of its archive, but for what it does not have', () => {
  const kinds = kindsOf(ofArchive).filter((kind) => !NOT_OF_COPY.includes(kind));
  expect(kindsOf(ofCopy).toSorted()).toEqual([...kinds, 'pseudonymised'].toSorted());
});

it('a copy of which all that is left is complete says that something was erased', async () => {
  await using people = await SearchRig.start();
  people.talk('ada', 's-ada', 'Kept', [{ question: 'Falcon?', answer: 'yes' }]);
  people.talk('cleo', 's-cleo', 'Erased', [{ question: 'Falcon?', answer: 'yes' }]);
  await people.rig.archived();
  const { out, directory } = people.rig;
  await cliJson(['erase', out, '--user', 'cleo', '--reason', 'asked for', '--yes']);
  const [key, target] = [join(directory, 'key'), join(directory, 'copy-of-rest')];
  await writeFile(key, 'k'.repeat(40));
  await cli(['copy', out, target, '--pseudonymise', key]);
  const said =
    /^Complete, leaving aside what was erased: the archive has 1 erasure \(1 conversation\), of /;
  const report = join(directory, 'report');
  expect((await cli(['report', target, '--out', report])).stdout).toMatch(said);
  expect((await cli(['status', target])).stdout).toContain('leaving aside what was erased');
  expect(await grepArchive(target, ['cleo', 'asked for'])).toEqual([]);
});

it.each([
  ['query', ['SELECT 1']],
  ['show', []],
  ['status', []],
])('the %s of a copy has the caveats of its report', async (command, words) => {
  const { caveats } = await told([command, copy, ...words]);
  expect(counted(caveats)).toEqual(counted(ofCopy));
});

it('the rows of a copy mark as many files as doubtful as its log counts', async () => {
  const sql = 'SELECT count(*)::int AS files FROM current_artifacts WHERE suspicious IS NOT NULL';
  const { rows } = await told<Told & { readonly rows: readonly unknown[] }>(['query', copy, sql]);
  const doubtful = ofCopy.find(({ kind }) => kind === 'suspicious_file');
  expect(rows).toEqual([{ files: doubtful?.count }]);
});

it('the workbook of a copy has the caveats of a report of the same, and says each on its cover', async () => {
  const [made, ofReport] = [rig.beside('made.xlsx'), rig.beside('report-of-all')];
  const { caveats } = await told(['workbook', copy, ...EVERY_TIME, '--out', made]);
  const report = await told(['report', copy, ...EVERY_TIME, '--out', ofReport]);
  expect(counted(caveats)).toEqual(counted(report.caveats));
  const cover = await coverOf(made);
  for (const { headline } of caveats) expect(cover).toContain(headline);
});

it('a query of a copy finds as many doubtful files as its status counts, and no reason', async () => {
  const status = await cliJson<ArchiveStatus>(['status', copy]);
  const sql = 'SELECT suspicious AS why FROM current_artifacts WHERE suspicious IS NOT NULL';
  const { rows } = await cliJson<{ rows: { why: string }[] }>(['query', copy, sql]);
  expect([rows.length > 0, rows.length]).toEqual([true, status.suspicious_files]);
  const why = 'the reason is left out of this pseudonymised copy';
  expect(new Set(rows.map((row) => row.why))).toEqual(new Set([why]));
});

it('people read each caveat of a copy on the page and on the terminal', async () => {
  const page = textOfPage(await readFile(rig.beside('report-of-copy/index.html'), 'utf8'));
  const shown = await Promise.all(
    ['status', 'show'].map(async (command) => onOneLine((await cli([command, copy])).stdout)),
  );
  for (const { headline } of ofCopy) {
    const isSaid = [page, ...shown].map((text) => text.includes(headline));
    expect([headline, ...isSaid]).toEqual([headline, true, true, true]);
  }
});

it.each(['status', 'sessions'])(
  'an assistant that asks a copy for its %s is told the same',
  async (tool) => {
    const { facts } = await askedOfCopy(tool, {});
    expect(counted((JSON.parse(JSON.stringify(facts)) as Told).caveats)).toEqual(counted(ofCopy));
  },
);

it('each conversation of a copy has the caveats that a report of it has', async () => {
  const { sessions } = await told<Listed>(['show', copy]);
  const kinds = new Set<CaveatKind>();
  for (const { session_id: session } of sessions) {
    const words = ['--session', session, '--out', rig.beside(`report-${session}`)];
    const ofReport = (await told(['report', copy, ...words])).caveats;
    const { caveats } = await told(['show', copy, session]);
    // an erasure takes whole conversations: one that is shown says nothing of it
    const ofOne = ofReport.filter(({ kind }) => kind !== 'erasures');
    expect([session, counted(caveats)]).toEqual([session, counted(ofOne)]);
    for (const kind of kindsOf(caveats)) kinds.add(kind);
  }
  expect(kinds).toContain('suspicious_file');
});

it('what a search in a copy with texts finds has the caveats of a report of the same', async () => {
  const words = ['falcon', ...EVERY_TIME];
  const withText = rig.beside('copy-with-text');
  const { caveats } = await told(['search', withText, ...words]);
  const ofReport = await told([
    'report',
    withText,
    ...['--match', ...words, '--out', rig.beside('report-of-search')],
  ]);
  expect(kindsOf(caveats)).toContain('suspicious_file');
  const isOfSearch = ({ kind }: Caveat) => !NOT_OF_SEARCH.includes(kind);
  expect(counted(caveats)).toEqual(counted(ofReport.caveats.filter(isOfSearch)));
});
