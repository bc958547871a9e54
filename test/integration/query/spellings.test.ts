/** A session that two spellings of a user list is one, and counts once in views and workbooks. */
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { readXlsx } from 'hucre/xlsx';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
beforeEach(async () => {
  people = await SearchRig.start();
});
afterEach(() => people[Symbol.asyncDispose]());

type Row = Record<string, unknown>;

async function rows(sql: string): Promise<Row[]> {
  return (await cliJson<{ rows: Row[] }>(['query', people.rig.out, sql])).rows;
}

/** The same conversations of the same person, under an id and a second spelling of it. */
function listUnder(...users: readonly string[]): void {
  const said = [
    { question: 'Which?', cited: 'all', followUp: 'And then?' },
    { question: 'And then?' },
  ];
  const jobs = said.map((one, at) => ({ ...one, id: `j-${at}` }));
  for (const user of users) people.talk(user, 's-shared', 'Shared', jobs);
}

it('users, conversations, questions, sources and follow-ups count it once', async () => {
  listUnder('ana', 'Ana');
  people.talk('Ana', 's-own', 'Only here', [{ question: 'Mine?', id: 'j-own' }]);
  people.talk('ben', 's-ben', 'Another', [{ question: 'Who?', id: 'j-ben' }]);
  await people.rig.archived();
  expect(await rows('FROM v_usage_by_week')).toMatchObject([
    { users: 2, conversations: 3, questions: 4 },
  ]);
  expect(await rows('SELECT user_id, questions FROM v_usage_by_user')).toEqual([
    { user_id: 'Ana', questions: 3 },
    { user_id: 'ben', questions: 1 },
  ]);
  expect(await rows('SELECT questions, users FROM v_most_used_sources')).toEqual([
    { questions: 1, users: 1 },
  ]);
  expect(await rows('SELECT sum(questions_with_proposals) AS n FROM v_follow_ups_taken')).toEqual([
    { n: 1 },
  ]);
  for (const table of ['sessions', 'jobs', 'blocks', 'raw_jobs']) {
    const sql = `SELECT DISTINCT user_id FROM current_${table} WHERE session_id = 's-shared'`;
    expect([table, await rows(sql)]).toEqual([table, [{ user_id: 'Ana' }]]);
  }
  expect(await rows('FROM sessions_listed_again')).toEqual([
    { user_id: 'ana', session_id: 's-shared', counts_for: 'Ana' },
  ]);
});

it('a workbook has it once, and says so; under one spelling alone it has what that lists', async () => {
  listUnder('ana', 'Ana');
  people.talk('ben', 's-ben', 'Another', [{ question: 'Who?', id: 'j-ben' }]);
  await people.rig.archived();
  const made = async (name: string, ...words: string[]) => {
    const out = join(people.rig.directory, name);
    const summary = await cliJson<Row>(['workbook', people.rig.out, '--out', out, ...words]);
    const { sheets } = await readXlsx(await readFile(out));
    const textOf = (sheet: string) =>
      JSON.stringify(sheets.find(({ name: one }) => one === sheet)?.rows);
    return { summary, cover: textOf('Cover'), conversations: textOf('Conversations') };
  };
  const all = await made('all.xlsx', '--user', 'ana', '--user', 'Ana', '--user', 'ben');
  expect(all.summary).toMatchObject({ users: 2, sessions: 2, jobs: 3 });
  expect(all.cover).toContain('1 conversation of ana and Ana');
  expect(all.conversations.split('Which?')).toHaveLength(2);
  const one = await made('one.xlsx', '--user', 'ana');
  expect(one.summary).toMatchObject({ users: 1, sessions: 1, jobs: 2 });
  expect(one.cover).not.toContain('1 conversation of ana and Ana');
});

it('a workbook of both spellings has no doubt of the one that the other counts for', async () => {
  for (const user of ['ana', 'Ana']) {
    people.talk(user, 's-shared', 'Shared', [{ id: 'j-0', table: 'lost.csv', csv: null }]);
  }
  people.talk('ana', 's-own', 'Only here', [{ question: 'Mine?', id: 'j-own' }]);
  await people.rig.archived();
  const out = join(people.rig.directory, 'gaps.xlsx');
  const words = ['workbook', people.rig.out, '--user', 'ana', '--user', 'Ana', '--out', out];
  const { caveats } = await cliJson<{ readonly caveats: readonly Caveat[] }>(words, 3);
  const told = caveats.filter(({ severity }) => severity !== 'note');
  expect(told.map(({ kind, count }) => [kind, count])).toEqual([['gap', 1]]);
});

it('it counts for the spelling that was listed last, with what is new there', async () => {
  listUnder('ANA');
  await people.rig.export({ users: ['ANA'] });
  listUnder('ana');
  people.talk('ana', 's-shared', 'Shared', [{ question: 'New?', id: 'j-new' }]);
  await people.rig.export({ users: ['ana'] });
  expect(await rows('SELECT user_id, questions FROM v_usage_by_user')).toEqual([
    { user_id: 'ana', questions: 3 },
  ]);
});

it('sessions of two users of other names count for both, and a search finds what each lists', async () => {
  listUnder('ana', 'Ana', 'ben');
  await people.rig.archived();
  expect(await rows('SELECT user_id FROM current_sessions ORDER BY ALL')).toEqual([
    { user_id: 'Ana' },
    { user_id: 'ben' },
  ]);
  const { stdout } = await cli(['search', people.rig.out, 'which', '--user', 'ana']);
  expect(stdout).toContain('s-shared');
});
