import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupBy } from '../../../src/base/group-by.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { CANARY, signedEverywhere } from '../../support/http/signed-everywhere.js';

const FORMULA = `=HYPERLINK('http://evil.example','x')`;
const CHANGED_AT = Date.UTC(2026, 0, 5, 9, 30);

type Found = Awaited<ReturnType<typeof readXlsx>>['sheets'][number];

async function sheetsOf(file: string): Promise<ReadonlyMap<string, Found>> {
  const { sheets } = await readXlsx(await readFile(file), { readStyles: true });
  return new Map(sheets.map((sheet) => [sheet.name, sheet]));
}

/** Longer than a cell. */
const LONG = 'Well then? '.repeat(4_000);

function textsOf(sheet: Found | undefined): string[] {
  return (sheet?.rows ?? []).flat().filter((cell) => typeof cell === 'string');
}

describe.each(['parquet', 'jsonl'] as const)(
  "a person's workbook from an archive of %s",
  (format) => {
    let rig: ExportRig;
    let out: string;
    let user: string;
    let sheets: ReadonlyMap<string, Found>;
    let summary: Record<string, unknown>;

    beforeAll(async () => {
      rig = await ExportRig.start({ users: 2, sessions: 3, jobs: 3 });
      user = rig.state.userIds()[0] ?? '';
      const [session = '', other = ''] = rig.state.sessionIds(user);
      const changing = rig.state.newJobId(CHANGED_AT);
      rig.state.addJob(user, session, oldJob(changing));
      rig.state.addJob(user, other, oldJob('a-timeless').replace('Well?', 'When?'));
      const long = oldJob(rig.state.newJobId(CHANGED_AT + 1)).replace('Well?', LONG);
      rig.state.addJob(user, session, long);
      await rig.export({ formats: [format] });
      rig.state.changeJob(user, session, changing, () =>
        oldJob(changing).replace('Well?', FORMULA),
      );
      await rig.export({ formats: [format], full: true });
      const hold = ['hold', 'add', rig.out, '--by', 'legal', '--reason'];
      await cliJson([...hold, '=1+1 Litigation', '--user', user]);
      await cliJson([...hold, 'Audit', '--session', session]);
      await cliJson([...hold, 'Other', '--user', rig.state.userIds()[1] ?? '']);
      out = join(rig.directory, 'made', 'one person.xlsx');
      summary = await cliJson(['workbook', rig.out, '--user', user, '--out', out]);
      sheets = await sheetsOf(out);
    });
    afterAll(() => rig[Symbol.asyncDispose]());

    const rowsOf = (name: string): Found['rows'] => sheets.get(name)?.rows.slice(1) ?? [];

    it('begins with a cover and the conversations; the tables follow', () => {
      expect([...sheets.keys()].slice(0, 5)).toEqual([
        'Cover',
        'Conversations',
        'Answer tables',
        'sessions',
        'jobs',
      ]);
      expect(summary).toMatchObject({ status: 'complete', user, sessions: 3, out });
    });

    it('says on the cover whose it is, from where, how much, and of which head', async () => {
      const { head } = await rig.verify();
      const told = textsOf(sheets.get('Cover'));
      expect(told).toContain(`Conversations of ${user}`);
      expect(told).toContain(`${head?.number ?? 0}:${head?.digest ?? ''}`);
      expect(told).toContain(rig.emulator.baseUrl);
      const counts = new Map(sheets.get('Cover')?.rows.map(([label, value]) => [label, value]));
      expect(counts.get('Conversations')).toBe(3);
      expect(counts.get('Questions')).toBe(summary['jobs']);
      expect(counts.get('In short')).toBe('Complete');
      const files = sheets.get('Cover')?.rows.find(([label]) => label === 'Files');
      expect(files?.[2]).toBe(
        `tables and images, which are not in this workbook: links lead from its folder to the archive (${join('..', basename(rig.out))}), and open nothing where this file is moved or sent elsewhere; jobvault evidence makes a pack that has the files`,
      );
      expect(counts.get('First question')).toBeInstanceOf(Date);
    });

    it('lists every sheet on the cover, with how many rows it has', () => {
      const listed = new Map(
        sheets.get('Cover')?.rows.map(([, name, told]) => [name, String(told).split(':')[0]]),
      );
      expect(sheets.has('long_text')).toBe(true);
      // of tables in answers it says how many there are
      const ofRows = (name: string) => name !== 'Cover' && name !== 'Answer tables';
      for (const name of [...sheets.keys()].filter(ofRows)) {
        const rows = rowsOf(name).length;
        const told = rows === 1 ? '1 row' : `${rows.toLocaleString('en-US')} rows`;
        const questions = `${String(summary['jobs'])} questions in ${told}`;
        expect([name, listed.get(name)]).toEqual([
          name,
          name === 'Conversations' ? questions : told,
        ]);
      }
    });

    it('has every job once, in its newest version, in the order in which they were asked', () => {
      const questions = rowsOf('Conversations').filter(
        ([, , question]) => typeof question === 'string',
      );
      expect(questions).toHaveLength(Number(summary['jobs']));
      const changed = questions.filter(
        ([asked]) => asked instanceof Date && asked.getTime() === CHANGED_AT,
      );
      expect(changed.map(([, , question]) => question)).toEqual([FORMULA]);
      expect(rowsOf('jobs')).toHaveLength(questions.length + 1); // tables have every version
      const byConversation = groupBy(questions, ([, conversation]) => conversation);
      for (const rows of byConversation.values()) {
        const times = rows.flatMap(([asked]) => (asked instanceof Date ? [asked.getTime()] : []));
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      }
    });

    it('says of a job whose id tells no time between which times it was asked', () => {
      const timeless = rowsOf('Conversations').filter(
        ([asked, , question]) => question === 'When?' && typeof asked === 'string',
      );
      expect(timeless.map(([asked]) => asked)).toEqual([
        expect.stringMatching(/^after \d{4}-\d\d-\d\d \d\d:\d\d$/),
      ]);
    });

    it('says on the cover what is on hold, why, since when and for whom', () => {
      const rows = sheets.get('Cover')?.rows ?? [];
      const place = rows.findIndex(([, told]) => /^2 holds bind what is here/.test(String(told)));
      const [user, session] = rows.slice(place + 1).map(([, told]) => told);
      expect(user).toMatch(/: =1[+]1 Litigation [(]asked for by legal, since \d{4}-\d\d-\d\d[)]$/);
      expect(session).toMatch(/[(]session \S+[)]: .* [(]asked for by legal, since \S+[)]$/);
    });

    it('takes what looks like a formula for text', () => {
      const cells = [...(sheets.get('Conversations')?.cells?.values() ?? [])];
      expect(cells.filter(({ formula }) => formula !== undefined)).toEqual([]);
      expect(cells.map(({ value }) => value)).toContain(FORMULA);
    });

    it('links to every file that it names', async () => {
      const cells = [...(sheets.get('Conversations')?.cells?.values() ?? [])];
      const targets = cells.flatMap(({ hyperlink }) =>
        hyperlink?.target.startsWith('#') ? [] : (hyperlink?.target ?? []),
      );
      expect(targets.length).toBeGreaterThan(3);
      for (const target of targets) {
        const path = resolve(join(rig.directory, 'made'), decodeURIComponent(target));
        expect((await stat(path)).isFile()).toBe(true);
        expect(path.startsWith(join(rig.out, 'artifacts'))).toBe(true);
      }
    });

    it('has nothing of anybody else', () => {
      const [, other = ''] = rig.state.userIds();
      for (const [name, sheet] of sheets) {
        const place = sheet.rows[0]?.indexOf('user_id') ?? -1;
        if (place >= 0)
          expect(new Set(sheet.rows.slice(1).map((row) => row[place])), name).toEqual(
            new Set([user]),
          );
        expect(textsOf(sheet).join('\n')).not.toContain(other);
      }
    });

    it('is printed landscape, with the header on every page', () => {
      for (const [name, sheet] of sheets) {
        expect(sheet.pageSetup).toMatchObject({ orientation: 'landscape' });
        if (name === 'Cover' || name === 'Answer tables') continue;
        expect(sheet.pageSetup?.printTitlesRow, name).toBe('$1:$1');
        expect(sheet.freezePane, name).toMatchObject({ rows: 1 });
      }
    });

    it('is printed on one page across in a size that can be read, without the columns of programs', () => {
      for (const [name, { columns = [], pageSetup }] of sheets) {
        const shown = columns.filter(({ hidden }) => hidden !== true);
        const width = shown.reduce((sum, column) => sum + (column.width ?? 9), 0);
        expect(width, name).toBeLessThanOrEqual(245);
        expect(pageSetup?.fitToWidth, name).toBe(1);
        expect(pageSetup?.printTitlesColumn, name).toBeUndefined();
      }
      const { rows = [], columns = [] } = sheets.get('jobs') ?? {};
      const folded = (rows[0] ?? []).filter((_title, at) => columns[at]?.hidden === true);
      expect(folded).toEqual(
        expect.arrayContaining(['user_id', 'is_withdrawn', 'content_hash', 'run_id']),
      );
      expect(folded).not.toContain('question_text');
      expect(rowsOf('jobs').every((row) => row[rows[0]?.indexOf('content_hash') ?? 0])).toBe(true);
    });

    it('is all that is left beside it, and replaces an earlier one', async () => {
      await writeFile(out, 'earlier');
      await cliJson(['workbook', rig.out, '--user', user, '--out', out]);
      expect(await readdir(join(rig.directory, 'made'))).toEqual(['one person.xlsx']);
      expect((await readFile(out)).subarray(0, 2).toString()).toBe('PK');
    });

    it('is not made of an archive that somebody has altered', async () => {
      const [path = ''] = await rig.parts('tables/jobs');
      const sound = await rig.place.read(path);
      await rig.place.write(path, Buffer.concat([sound, Buffer.from('x')]));
      const other = join(rig.directory, 'altered', 'a.xlsx');
      const end = await cli(['workbook', rig.out, '--user', user, '--out', other]);
      await rig.place.write(path, sound);
      expect([end.exitCode, end.stdout]).toEqual([4, '']);
      expect(end.stderr).toContain(path);
      await expect(stat(other)).rejects.toThrow('ENOENT');
    });
  },
);

it('a workbook of records full of live signatures has none of them', async () => {
  await using rig = await ExportRig.start();
  rig.state.importJson(signedEverywhere(rig.emulator.filesUrl));
  await rig.export();
  const out = join(rig.directory, 'ada.xlsx');
  const { exitCode, stderr } = await cli(['workbook', rig.out, '--user', 'ada', '--out', out]);
  expect([0, 3], stderr).toContain(exitCode);
  const sheets = await sheetsOf(out);
  expect(sheets.get('raw_jobs')?.rows).toHaveLength(2);
  for (const sheet of sheets.values()) expect(textsOf(sheet).join('\n')).not.toContain(CANARY);
});

describe('workbook refuses', () => {
  let rig: ExportRig;
  beforeAll(async () => {
    rig = await ExportRig.start({ users: 1, sessions: 1, jobs: 1 });
    await rig.archived();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it.each([
    [
      'a user who is not there',
      ['--user', 'nobody', '--out', 'x.xlsx'],
      'has no user "nobody"; users in it: ',
    ],
    [
      'no user',
      ['--out', 'x.xlsx'],
      'no user is named; give --user or --users-file, or --from for everybody in a period',
    ],
    [
      'no file',
      ['--user', 'ada'],
      '--out is missing; give it (the workbook, FILE.xlsx or s3://bucket/FILE.xlsx; an existing one is replaced)',
    ],
    [
      'another kind of file',
      ['--user', 'ada', '--out', 'x.csv'],
      'x.csv is no workbook; allowed is a file whose name ends in .xlsx',
    ],
  ])('%s', async (_, words, sentence) => {
    const { exitCode, stderr, stdout } = await cli(['workbook', rig.out, ...words]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(sentence);
  });

  it('a place inside the archive', async () => {
    const out = join(rig.out, 'x.xlsx');
    const { exitCode, stderr } = await cli(['workbook', rig.out, '--user', 'ada', '--out', out]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('is inside the archive');
  });
});

it('a workbook counts and marks answers that may still change; later runs settle them', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 1, jobs: 2 });
  const [user = ''] = rig.state.userIds();
  const [session = ''] = rig.state.sessionIds(user);
  const fresh = rig.state.newJobId(rig.clock.now() - 1000);
  rig.state.addJob(user, session, oldJob(fresh));
  await rig.export();
  const file = join(rig.directory, 'fresh.xlsx');
  const made = await cli(['workbook', rig.out, '--user', user, '--out', file]);
  const told =
    '1 answer may still come or change: nothing showed yet that it was final when it was read last';
  expect([made.exitCode, made.stdout]).toEqual([
    0,
    expect.stringContaining(`${told}; what is made after a later export can tell\n`),
  ]);
  const sheets = await sheetsOf(file);
  expect(sheets.get('Cover')?.rows.map((row) => row.join(': '))).toContainEqual(
    expect.stringContaining(`Note: ${told}`),
  );
  const [heading = [], ...rows] = sheets.get('Conversations')?.rows ?? [];
  const column = heading.indexOf('State');
  expect(rows.map((row) => row[column] ?? null).filter((cell) => cell !== null)).toEqual([
    'may still change',
  ]);
});
