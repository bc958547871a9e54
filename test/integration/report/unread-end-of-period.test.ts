/** A period that ended after the last export: what was asked in between is in no answer, and each answer says so. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { dayOf } from '../../../src/model/times/timestamp.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';

const DAY = 86_400_000;

let people: SearchRig;
let last: number;

/** The day so many days after the last export. */
const day = (after: number): string => dayOf(last + after * DAY);

beforeAll(async () => {
  people = await SearchRig.start();
  people.talk('ada', 's-1', 'Sales', [{ question: 'The falcon?' }]);
  people.rig.clock.ahead = -5 * DAY;
  last = people.rig.clock.now();
  await people.rig.export();
});
afterAll(() => people[Symbol.asyncDispose]());

let made = 0;

async function told(...words: string[]) {
  const out = join(people.rig.directory, `made-${++made}`);
  const given = ['evidence', people.rig.out, '--out', out, '--from', '2026-01-01', ...words];
  const { stdout, exitCode } = await cli([...given, '--json']);
  const { status, caveats } = JSON.parse(stdout) as { status: string; caveats: Caveat[] };
  const summary = await readFile(join(out, 'data', 'summary.csv'), 'utf8');
  const [names = '', row = ''] = summary.split('\r\n');
  const complete = row.split(',')[names.split(',').indexOf('complete')];
  const open = caveats.find(({ kind }) => kind === 'period_open');
  return { status, exitCode, complete, severity: open?.severity, text: open?.headline };
}

it('a period that ended after the last export is not proven complete', async () => {
  expect(await told('--to', day(2))).toEqual({
    status: 'not-proven',
    exitCode: 3,
    complete: 'not proven',
    severity: 'doubt',
    text: `the service was read last at ${minuteOf(last)} UTC, before the end of the period`,
  });
});

it('a period that ended before the last export is as whole as the archive', async () => {
  const { status, exitCode, complete, severity } = await told('--to', day(-1));
  expect([status, exitCode, complete, severity]).toEqual(['complete', 0, 'yes', undefined]);
});

it('a period that is not over says until when the service was read', async () => {
  const out = join(people.rig.directory, `made-${++made}`);
  const period = ['--from', '2026-01-01', '--to', day(30)];
  const { exitCode } = await cli(['evidence', people.rig.out, '--out', out, ...period]);
  const readme = await readFile(join(out, 'data', 'README.txt'), 'utf8');
  expect([readme.replace(/\s+/g, ' '), exitCode]).toEqual([
    expect.stringContaining(
      `the period is not over: what was asked after ${minuteOf(last)} UTC is not in it`,
    ),
    0,
  ]);
});

function minuteOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

it.each([[[]], [['--keep-times']]])(
  'a copy says the day of its export, and no hour: %j',
  async (kept) => {
    const { directory, out } = people.rig;
    const [key, copy, report, book] = ['key', 'copy', 'report', 'book.xlsx'].map((name) =>
      join(directory, `${kept.length}-${name}`),
    ) as [string, string, string, string];
    await writeFile(key, 'k'.repeat(32), { mode: 0o600 });
    expect((await cli(['copy', out, copy, '--pseudonymise', key, ...kept])).exitCode).toBe(0);
    const toldOf = async (...words: string[]) => {
      const { stdout } = await cli([...words, '--from', '2026-01-01', '--json']);
      const { caveats } = JSON.parse(stdout) as { caveats: Caveat[] };
      const open = caveats.find(({ kind }) => kind === 'period_open');
      return open && [open.severity, open.headline, open.why];
    };
    expect(await toldOf('report', copy, '--out', report, '--to', day(30))).toEqual([
      ...['note', 'the period is not over', `what was asked after ${day(0)} is not in it`],
    ]);
    const page = await readFile(join(report, 'index.html'), 'utf8');
    expect(page.replaceAll(/<[^>]*>/g, '')).toContain(`exported on ${day(0)}`);
    expect(await toldOf('workbook', copy, '--out', book, '--to', day(2))).toEqual([
      'doubt',
      `the service was read last on ${day(0)}, before the end of the period`,
      'what was asked since is not in it',
    ]);
    const [cover] = (await readXlsx(await readFile(book))).sheets;
    expect(cover?.rows.find(([name]) => name === 'Exported')?.[1]).toEqual(new Date(day(0)));
    expect(await toldOf('report', copy, '--out', `${report}-2`, '--to', day(-1))).toBeUndefined();
  },
);
