/** An archive that has lost tables, and no copy that has them: the rest can be handed over, with each lost file named. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { caveatCounts, namedIn } from '../../support/tables/caveat-counts.js';
import { bagProblems } from '../../support/tables/bag-validator.js';

let people: SearchRig;
let ada: string[];
let gone: string;
let altered: string;
/** The job of somebody else who has the same table. */
let again: string;

/** Paths of the tables of an archive, by name. */
async function tablesIn(archive: string): Promise<ReadonlyMap<string, string>> {
  const sql = 'SELECT name, path FROM current_artifacts';
  const { stdout } = await cli(['query', archive, sql, '--output', 'json']);
  const rows = JSON.parse(stdout) as { name: string; path: string }[];
  return new Map(rows.map(({ name, path }) => [name, path]));
}

beforeAll(async () => {
  people = await SearchRig.start();
  ada = people.talk('ada', 's-ada', 'Sales', [
    { question: 'The condor?', table: 'gone.csv', csv: 'who\ncondor\n' },
    { question: 'What is there?', table: 'altered.csv', csv: 'who\nadler\n' },
    { question: 'And here?', table: 'kept.csv', csv: 'who\nfalcon\n' },
  ]);
  [again = ''] = people.talk('cyd', 's-cyd', 'Birds', [
    { question: 'The condor again?', table: 'same.csv', csv: 'who\ncondor\n' },
  ]);
  people.talk('ben', 's-ben', 'Costs', [{ question: 'Costs?', table: 'b.csv', csv: 'a\n1\n' }]);
  await people.rig.archived();
  const tables = await tablesIn(people.rig.out);
  gone = tables.get('gone.csv') ?? '';
  altered = tables.get('altered.csv') ?? '';
  await rm(join(people.rig.out, gone));
  await writeFile(join(people.rig.out, altered), 'who\nOTTER\n');
});
afterAll(() => people[Symbol.asyncDispose]());

it('a file that is lost ends a pack, and the way to hand over the rest is told', async () => {
  const out = join(people.rig.directory, 'none');
  const { exitCode, stdout, stderr } = await cli(['evidence', people.rig.out, '--out', out]);
  expect([exitCode, stdout]).toEqual([4, '']);
  expect(stderr).toMatch(
    /^jobvault: artifacts\/\S+ (is missing|is damaged: its SHA-256 differs)\n/,
  );
  expect(stderr.split('\n').slice(1)).toEqual([
    `Next: jobvault verify ${people.rig.out} names everything that is damaged, and with --repair mends what it can. What no copy of the archive has any more, the flag --allow-lost-files of jobvault evidence, report and workbook leaves out and names.`,
    '',
  ]);
});

it('a pack names each lost file in its tables, README.txt, transcript and first page', async () => {
  const { exitCode, summary, pack } = await handOver(
    people.rig,
    ...['--user', 'ada', '--allow-lost-files'],
  );
  expect(exitCode).toBe(3);
  expect(summary()).toMatchObject({
    status: 'incomplete',
    artifacts: 1,
    next: `restore the lost files from a copy of the archive, or with jobvault verify ARCHIVE --repair, and make it again; where neither has them, it is what there is.`.replace(
      'ARCHIVE',
      people.rig.out,
    ),
  });
  expect(caveatCounts(summary())).toEqual({ lost_file: 2 });
  expect(namedIn(summary(), 'lost_file')).toEqual([
    `ada, “altered.csv” in “Sales” (session s-ada, job ${ada[1]}): ${altered} is damaged: its SHA-256 differs`,
    `ada, “gone.csv” in “Sales” (session s-ada, job ${ada[0]}): ${gone} is missing`,
  ]);
  expect(await bagProblems(pack.directory)).toEqual([]);
  const why = {
    [gone]: 'is missing',
    [altered]: 'is damaged: its SHA-256 differs',
  };
  const reasonOf = (path: string) =>
    `it was archived, and is lost: in the archive, ${path} ${why[path]}`;
  const key = { user_id: 'ada', session_id: 's-ada', role: 'answer', file_index: '0' };
  // in the order of the part file, as the service sent them
  expect(await pack.page('gaps')).toMatchObject([
    { ...key, job_id: ada[1], session_name: 'Sales', status: 'lost', reason: reasonOf(altered) },
    { ...key, job_id: ada[0], session_name: 'Sales', status: 'lost', reason: reasonOf(gone) },
  ]);
  expect(await pack.page('summary')).toMatchObject([
    { gaps: '0', lost_files: '2', file_places: '3', file_places_stored: '1', complete: 'no' },
  ]);
  expect(await pack.page('index')).toMatchObject([{ gaps: '0', lost_files: '2' }]);
  const files = (await pack.page('items')).filter(({ item }) => item === 'artifact');
  expect(files).toMatchObject([
    { name: 'gone.csv', status: 'lost', note: reasonOf(gone), pack_path: '' },
    { name: 'altered.csv', status: 'lost', note: reasonOf(altered), pack_path: '' },
    { name: 'kept.csv', status: 'stored', note: '' },
  ]);
  expect((await pack.page('settings')).filter(({ of }) => of === 'pack')).toMatchObject([
    { setting: 'user', value: 'ada' },
    { setting: 'session', value: '(all)' },
    { setting: 'allow-lost-files', value: 'yes' },
  ]);
  const readme = (await pack.text('data/README.txt')).replaceAll(/\s+/g, ' ');
  expect(readme).toContain(' lost of a file: the archive had it, and has it no more, or damaged ');
  const [transcript = ''] = (await pack.files()).filter((path) => path.includes('transcripts/'));
  expect(await pack.text(transcript)).toContain(
    `\nFILES\nTABLE "gone.csv": NOT IN THE PACK, lost: ${reasonOf(gone)}\n`,
  );
  const page = await pack.text('data/index.html');
  expect(page).toContain('<b>1</b> <span>each once; 2 places in answers have none (2 lost)</span>');
  expect(page).not.toContain('OTTER');
  const { gaps } = JSON.parse(
    (await pack.text('data/data/gaps.js')).replace(/^[^{]*/, '').replace(/\)?;?\s*$/, ''),
  ) as { gaps: { status: string; meaning: string }[] };
  expect(gaps.map(({ status, meaning }) => [status, meaning])).toEqual(
    Array.from({ length: 2 }, () => [
      'lost',
      'the archive had it; a copy of the archive, or jobvault verify --repair, may bring it back',
    ]),
  );
  expect(await pack.filesWith('OTTER')).toEqual([]);
});

it('a lost file is named in each place where it stood, with the conversation and the job', async () => {
  const { summary, pack } = await handOver(people.rig, '--allow-lost-files');
  expect(caveatCounts(summary())).toEqual({ lost_file: 2 });
  expect(await pack.page('gaps')).toHaveLength(3);
  const lines = (await pack.text('data/README.txt')).replaceAll(/\s+/g, ' ');
  for (const line of [
    `ada, “gone.csv” in “Sales” (session s-ada, job ${ada[0]}): ${gone} is missing`,
    `cyd, “same.csv” in “Birds” (session s-cyd, job ${again}): ${gone} is missing`,
  ]) {
    expect(lines).toContain(` ${line} `);
    expect(await pack.text('data/index.html')).toContain(`<li>${line}</li>`);
  }
});

it('where nothing is lost the flag changes nothing but the settings that a pack names', async () => {
  const { exitCode, summary, pack } = await handOver(
    people.rig,
    ...['--user', 'ben', '--allow-lost-files'],
  );
  expect(exitCode).toBe(0);
  expect(summary()).toMatchObject({ status: 'complete', caveats: [], artifacts: 1 });
  expect(await readFile(join(pack.directory, 'data/README.txt'), 'utf8')).not.toContain('are lost');
});

it('a pack for a request without its lost files is recorded with its gaps', async () => {
  const about = ['--user', 'ada', '--reason', 'Art. 15', '--by', 'Dana'];
  await cli(['request', 'new', people.rig.out, 'M 8', ...about]);
  const { exitCode } = await handOver(people.rig, '--request', 'M 8', '--allow-lost-files');
  expect(exitCode).toBe(3);
  expect(await cliJson(['request', 'show', people.rig.out, 'M 8'])).toMatchObject({
    packs: [{ jobs: 3, caveats: [{ kind: 'lost_file', count: 2 }] }],
  });
});

it('verify that could not repair a lost file names the way to hand over the rest', async () => {
  const { out } = people.rig;
  const { exitCode, stdout, stderr } = await cli(['verify', out, '--repair'], {});
  expect(exitCode).toBe(4);
  const restore = `restore what is named above from a copy of the archive, then run jobvault verify ${out} again.`;
  const rest = ` Where no copy has them, the flag --allow-lost-files of jobvault evidence, report and workbook leaves these tables and images out and names them.`;
  expect(stdout.split('\n').at(-2)).toBe(`Next: ${restore}${rest}`);
  // what is mailed of a night says the same
  expect(stderr).toContain(`. Next: ${restore}${rest}`);
  const found = await cli(['verify', out], {});
  const repair = `jobvault verify ${out} --repair mends what it can; with the API key, also one that the configuration names, it also fetches lost tables and images again.`;
  expect(found.stdout.split('\n').at(-2)).toBe(`Next: ${repair}`);
  expect(found.stderr).toContain(`. Next: ${repair}`);
  // of rows that are lost no pack can be made
  const [part = ''] = (await people.rig.files('tables/blocks/')).filter((name) =>
    /\.(parquet|jsonl|csv)/.test(name),
  );
  await rm(join(out, part));
  const ofRows = await cli(['verify', out, '--repair'], {});
  expect([ofRows.exitCode, ofRows.stdout.split('\n').at(-2)]).toEqual([4, `Next: ${restore}`]);
});
