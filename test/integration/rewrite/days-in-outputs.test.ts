/** What is made of a copy that knows days alone tells days: no midnight, and no bound that a day contradicts. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Assistant } from '../../support/programs/assistant.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
const inRig = (name: string): string => join(people.rig.directory, name);

const at = (time: string): string => people.rig.state.newJobId(Date.parse(`2026-03-${time}Z`));

beforeAll(async () => {
  people = await SearchRig.start();
  // an id without a time before all others, between two days, and within one
  people.talk('ana', 's-1', 'Costs', [
    { question: 'zeroth falcon', id: 'x-0' },
    { question: 'first falcon', id: at('05T09:00'), table: 'costs' },
    { question: 'second falcon', id: 'x-1' },
    { question: 'third falcon', id: at('07T09:00') },
    { question: 'fourth falcon', id: 'x-2' },
    { question: 'fifth falcon', id: at('07T11:00') },
  ]);
  people.talk('ben', 's-2', 'Open', [
    { question: 'the eagle', id: at('02T09:00') },
    { question: 'an eagle', id: at('03T09:00') },
    { question: 'last eagle', id: 'a-3' },
  ]);
  await people.rig.archived();
  await writeFile(inRig('key'), 'k'.repeat(40));
  for (const [name, ...more] of [['days'], ['times', '--keep-times']] as const) {
    const words = ['copy', people.rig.out, inRig(name), '--pseudonymise', inRig('key')];
    const made = await cli([...words, '--keep-text', ...more]);
    expect(made.exitCode, made.stderr).toBe(0);
  }
  await mkdir(inRig('made'));
});
afterAll(() => people[Symbol.asyncDispose]());

async function workbookOf(copy: string) {
  const out = inRig(`made/${copy}.xlsx`);
  const everybody = ['--from', '2026-01-01', '--undated', 'include'];
  const made = await cli(['workbook', inRig(copy), '--out', out, ...everybody]);
  expect(made.exitCode, made.stderr).toBe(0);
  const { sheets } = await readXlsx(await readFile(out), { readStyles: true });
  return new Map(sheets.map((sheet) => [sheet.name, sheet]));
}

type Sheet = Awaited<ReturnType<typeof workbookOf>> extends Map<string, infer S> ? S : never;

/** What a reader sees of times in these columns: the texts, and the days or moments as their format shows them. */
function timesIn(sheet: Sheet | undefined, columns: readonly number[]): string[] {
  return (sheet?.rows ?? []).flatMap((row, at) =>
    columns.flatMap((column) => {
      const value = row[column];
      if (!(value instanceof Date)) return typeof value === 'string' ? [value] : [];
      const format = sheet?.cells?.get(`${at},${column}`)?.style?.numFmt;
      if (format === 'yyyy-mm-dd') return [value.toISOString().replace('T00:00:00.000Z', '')];
      return [`${format ?? ''} ${value.toISOString()}`];
    }),
  );
}

/** What a program gets: no text of the whole may say a midnight, or the end of a day. */
const MOMENT = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;

const FALCONS = [
  ...['on or before 2026-03-05', '2026-03-05', '2026-03-05 – 2026-03-07'],
  ...['2026-03-07', '2026-03-07', '2026-03-07'],
];
const EAGLES = ['2026-03-02', '2026-03-03', 'on or after 2026-03-03'];

describe('a workbook of a copy of days', () => {
  it('tells of each question its day', async () => {
    const sheets = await workbookOf('days');
    const [title, ...told] = timesIn(sheets.get('Conversations'), [0]);
    expect(title).toBe('Asked (UTC)');
    // whose conversations come first their keyed ids say
    expect(told.toSorted()).toEqual([...FALCONS, ...EAGLES].toSorted());
  });

  it('tells on its cover the days of the first and the last question, and of the export', async () => {
    const cover = (await workbookOf('days')).get('Cover');
    const asked = (cover?.rows ?? []).map(([label, value]) => [
      label,
      value instanceof Date ? value.toISOString().slice(0, 10) : value,
    ]);
    expect(asked).toContainEqual(['First question', '2026-03-02']);
    expect(asked).toContainEqual(['Last question', '2026-03-07']);
    expect(asked).toContainEqual(['Exported', expect.stringMatching(/^\d{4}-\d\d-\d\d$/)]);
    // of these a reader sees a time of day: when the workbook was made
    expect(timesIn(cover, [1]).filter((text) => MOMENT.test(text))).toHaveLength(1);
    const texts = (cover?.rows ?? []).flat().filter((cell) => typeof cell === 'string');
    expect(texts.filter((text) => MOMENT.test(text))).toEqual([]);
  });

  it('shows days in its tables, and times where the copy has them', async () => {
    const columns = ['created_at', 'created_after', 'created_before', 'exported_at'];
    const shown = async (copy: string) => {
      const jobs = (await workbookOf(copy)).get('jobs');
      const header = jobs?.rows[0]?.map(String) ?? [];
      return timesIn(
        jobs,
        columns.map((name) => header.indexOf(name)),
      );
    };
    const days = await shown('days');
    expect(days.filter((text) => !/^\d{4}-\d\d-\d\d$|^[a-z_]+$/.test(text))).toEqual([]);
    const times = await shown('times');
    expect(times).toContain('yyyy-mm-dd hh:mm:ss 2026-03-07T09:00:00.000Z');
    expect(times.some((text) => /^\d{4}-\d\d-\d\d$/.test(text))).toBe(true);
  });
});

describe('search, show and a program', () => {
  it('are told of each question its day', async () => {
    const { stdout } = await cli(['search', inRig('days'), 'falcon']);
    const told = stdout.split('\n').filter((line) => / {2}p-\w+ {2}/.test(line));
    expect(told.map((line) => line.replace(/ {2}p-.*/, ''))).toEqual([
      ...['2026-03-07', '2026-03-07', '2026-03-07', 'between 2026-03-05 and 2026-03-07'],
      ...['2026-03-05', 'on or before 2026-03-05'],
    ]);
    const [, session = ''] = /session (p-\w+),/.exec(stdout) ?? [];
    const shown = (await cli(['show', inRig('days'), session])).stdout;
    expect([...shown.matchAll(/^p-\w+, (.*)$/gm)].map(([, time]) => time)).toEqual([
      ...['on or before 2026-03-05', '2026-03-05', 'between 2026-03-05 and 2026-03-07'],
      ...['2026-03-07', '2026-03-07', '2026-03-07'],
    ]);
    for (const words of [
      ['search', inRig('days'), 'falcon'],
      ['show', inRig('days'), session],
      ['show', inRig('days')],
    ]) {
      const { stdout: json } = await cli([...words, '--json']);
      expect([words, MOMENT.exec(json)]).toEqual([words, null]);
    }
  });

  it('find first of a day the questions that were asked on it for certain', async () => {
    const words = ['search', inRig('days'), 'falcon'];
    const { hits } = await cliJson<{ hits: { created_at: string | null }[] }>(words);
    const [third, first] = ['2026-03-07', '2026-03-05'];
    expect(hits.map((hit) => hit.created_at)).toEqual([third, third, null, null, first, null]);
  });

  it('list the conversations by day, the newest of which is one with a time of its own', async () => {
    const { sessions } = await cliJson<{ sessions: Record<string, unknown>[] }>([
      'show',
      inRig('days'),
    ]);
    const newest = sessions.map((one) => [one['newest_job_after'], one['newest_job_before']]);
    expect(newest).toEqual([
      ['2026-03-07', '2026-03-07'],
      ['2026-03-03', null],
    ]);
    expect((await cli(['show', inRig('days')])).stdout).toMatch(/ on or after 2026-03-03 /);
  });

  it('are told of what a period cannot place the day that bounds it', async () => {
    const { stdout } = await cli(['search', inRig('days'), 'falcon', '--from', '2026-03-01']);
    expect(stdout).toContain('asked on or before 2026-03-05');
  });

  it.each(['days', 'times'])('are told of a listing in a copy of %s its day', async (copy) => {
    const { sessions } = await cliJson<{ sessions: { user_id: string }[] }>(['show', inRig(copy)]);
    const words = ['status', inRig(copy), '--user', sessions[0]?.user_id ?? ''];
    expect((await cli(words)).stdout).toMatch(/^ +last listing +\d{4}-\d\d-\d\d: /m);
    // the run that has made the copy is told by its time
    const { details } = await cliJson<{ details: unknown }>([...words, '--json']);
    expect(MOMENT.exec(JSON.stringify(details))).toBeNull();
    const { oldest_listing: oldest } = await cliJson<{ oldest_listing: { at: string } }>([
      'status',
      inRig(copy),
    ]);
    expect(oldest.at).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect((await cli(['status', inRig(copy)])).stdout).not.toMatch(/00:00/);
  });

  it('are told of it as an assistant asks, too', async () => {
    await using assistant = await Assistant.inProcess(inRig('days'));
    const { data: list } = await assistant.ask('sessions');
    const [{ session_id: session, user_id: user }] = list.sessions;
    const asked = await Promise.all([
      assistant.ask('show', { session }),
      assistant.ask('search', { words: 'falcon', from: '2026-03-01' }),
      assistant.ask('status', { user }),
    ]);
    const answers = [list, ...asked].map((answer) => JSON.stringify(answer));
    for (const answer of answers) expect(MOMENT.exec(answer)).toBeNull();
    expect(answers.join('\n')).toContain('"created_before":"2026-03-05"');
  });
});
