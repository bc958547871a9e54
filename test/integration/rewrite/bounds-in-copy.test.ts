/** Questions without a time of their own count in a pseudonymised copy on the days on which they count in its archive. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;

const at = (time: string): string => people.rig.state.newJobId(Date.parse(`2026-03-${time}Z`));
const said = (id: string, question = 'Show me.') => ({ id, question });

beforeAll(async () => {
  people = await SearchRig.start();
  const [nine, ten] = [at('11T09:00'), at('11T10:00')];
  // all ids rise with the history, which may be listed by id
  people.talk('ana', 's-by-id', 'By id', [said(nine), said(`${nine}-x`), said(ten)]);
  // newest first; and in no order within a day, which days do not show
  people.talk('ana', 's-falling', 'Falling', [
    said(at('11T12:00')),
    said('x-1'),
    said(at('11T11:00')),
  ]);
  people.talk('ben', 's-turning', 'Turning', [
    ...[said(at('10T12:00')), said(at('10T11:00')), said('x-2'), said(at('12T11:00'))],
  ]);
  // these are between two of the same day
  const placed = [said(at('18T09:00')), said('x-3', 'the falcon'), said(at('18T10:00'))];
  people.talk('ben', 's-placed', 'Placed', placed);
  await people.rig.archived();
  const key = beside('key');
  await writeFile(key, 'k'.repeat(32), { mode: 0o600 });
  const about = ['--user', 'ben', '--match', 'falcon', '--reason', 'r', '--by', 'Dana'];
  await cli(['request', 'new', people.rig.out, 'Falcons', ...about]);
  for (const [name, ...words] of [
    ['days'],
    ['times', '--keep-times'],
    ['part', '--request', 'Falcons', '--by', 'Dana'],
  ] as const) {
    const given = ['copy', people.rig.out, beside(name), '--pseudonymise', key, '--keep-text'];
    const made = await cli([...given, ...words]);
    expect(made.exitCode, made.stderr).toBe(0);
  }
});
afterAll(() => people[Symbol.asyncDispose]());

function beside(name: string): string {
  return join(people.rig.directory, name);
}

interface Found {
  readonly searched: number;
  readonly time_unknown: number;
}

async function counted(place: string, where = 'true') {
  const sql = `SELECT week, month, count(*)::INT AS n FROM v_questions WHERE ${where} GROUP BY ALL ORDER BY ALL`;
  const { rows } = await cliJson<{ rows: unknown[] }>(['query', place, sql]);
  const days: Record<string, unknown> = {};
  for (const day of ['10', '11', '12', '18']) {
    const period = ['--from', `2026-03-${day}`, '--to', `2026-03-${day}`];
    const { stdout } = await cli(['search', place, 'show', ...period, '--json']);
    const { searched, time_unknown } = JSON.parse(stdout) as Found;
    days[day] = { searched, time_unknown };
  }
  return { rows, days };
}

it.each(['days', 'times'])(
  'a copy with %s counts in weeks and days as its archive',
  async (copy) => {
    const own = await counted(people.rig.out);
    expect(own.rows).toContainEqual({ week: null, month: null, n: 2 });
    expect(await counted(beside(copy))).toEqual(own);
  },
);

it('a copy of a part places a question by the questions that it does not have', async () => {
  const found = "question_text = 'the falcon'";
  const own = await counted(people.rig.out, found);
  expect(own.rows).toEqual([{ week: '2026-03-16', month: '2026-03-01', n: 1 }]);
  expect((await counted(beside('part'), found)).rows).toEqual(own.rows);
  const period = ['--from', '2026-03-18', '--to', '2026-03-18'];
  for (const place of [people.rig.out, beside('part')]) {
    expect(await cliJson(['search', place, 'falcon', ...period])).toMatchObject({ matches: 1 });
  }
});
