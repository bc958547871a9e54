/** A session that two spellings of a user list is one, and counts once in every output, which says so. */
import { join } from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';
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

it('two spellings that share no session are two users, as nothing tells that they are one', async () => {
  people.talk('ana', 's-1', 'First', [{ question: 'Which?', cited: 'all' }]);
  people.talk('Ana', 's-2', 'Second', [{ question: 'Which?', cited: 'all' }]);
  people.talk('ben', 's-3', 'Third', [{ question: 'Who?' }]);
  await people.rig.archived();
  const month = '2026-01-01';
  expect(await rows('FROM v_active_users_by_month')).toMatchObject([
    { month, users: 3, new_users: 3, returning_users: 0 },
  ]);
  expect(await rows('SELECT sum(users) AS n FROM v_usage_by_week')).toEqual([{ n: 3 }]);
  expect(await rows('SELECT users FROM v_most_used_sources')).toEqual([{ users: 2 }]);
  expect(await rows('SELECT user_id, conversations FROM v_usage_by_user')).toEqual([
    { user_id: 'Ana', conversations: 1 },
    { user_id: 'ana', conversations: 1 },
    { user_id: 'ben', conversations: 1 },
  ]);
  expect(await rows('FROM user_spellings')).toEqual([]);
  expect(await rows('SELECT count(DISTINCT person) AS people FROM users')).toEqual([{ people: 3 }]);
  expect(await cliJson(['status', people.rig.out])).toMatchObject({
    users: { total: 3, people: 3 },
  });
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
  expect(all.cover).toContain('1 conversation is listed under two spellings of a user');
  expect(all.cover).toContain('Ana: 1 conversation also of ana');
  expect(all.conversations.split('Which?')).toHaveLength(2);
  const one = await made('one.xlsx', '--user', 'ana');
  expect(one.summary).toMatchObject({ users: 1, sessions: 1, jobs: 2 });
  expect(one.cover).not.toContain('two spellings');
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

it('a spelling that is named alone has all that it lists; in a pack of both it lacks nothing', async () => {
  for (const user of ['ana', 'Ana']) {
    people.talk(user, 's-shared', 'Shared', [{ id: 'j-0', table: 'lost.csv', csv: null }]);
  }
  people.talk('ana', 's-own', 'Only here', [{ question: 'Mine?', id: 'j-own' }]);
  await people.rig.archived();
  const { out, directory } = people.rig;
  const { details } = await cliJson<{ details: Row[] }>(['status', out, '--user', 'ana']);
  expect(details).toMatchObject([
    { user: 'ana', sessions: { total: 2 }, jobs: { total: 2 }, gaps: { missing: 1 } },
  ]);
  const pack = join(directory, 'pack');
  await cliJson(['evidence', out, '--user', 'ana', '--user', 'Ana', '--out', pack], 3);
  const [heading = '', ...users] = (await readFile(join(pack, 'data/summary.csv'), 'utf8'))
    .trim()
    .split(/\r?\n/);
  const complete = heading.split(',').indexOf('complete');
  const cells = users.map((user) => user.split(',')).map((row) => [row[0], row[complete]]);
  expect(Object.fromEntries(cells)).toEqual({ ana: 'yes', Ana: 'no' });
});

it('an expiry erases it once, and status counts it once among what was erased', async () => {
  const [id] = people.talk('ana', 's-shared', 'Shared', [{ question: 'Which?' }]);
  people.talk('Ana', 's-shared', 'Shared', [{ question: 'Which?', id: id ?? '' }]);
  people.talk('ben', 's-ben', 'Another', [{ question: 'Who?', id: 'j-ben' }]);
  await people.rig.archived();
  const { out } = people.rig;
  const expire = ['expire', out, '--older-than', '30d', '--trust-this-clock'];
  const { stdout } = await cli([...expire, '--dry-run']);
  expect(stdout).toContain('1 conversation of');
  expect(stdout).toContain('1 conversation, 1 question');
  const done = await cliJson<Row>([...expire, '--yes'], 7);
  expect(done).toMatchObject({ expired: 1, erased: { sessions: 1, jobs: 1 } });
  expect(await cliJson(['status', out])).toMatchObject({ sessions: { total: 1 }, erased: 1 });
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

interface Made extends Row {
  readonly caveats: readonly Caveat[];
}

/** What each output counts of both spellings: conversations, questions, gaps, and those that it says are listed twice. */
async function countedBy(): Promise<Record<string, unknown>> {
  const { out, directory } = people.rig;
  const both = ['--user', 'ana', '--user', 'Ana'];
  const countOf = ({ caveats }: Made, ...kinds: Caveat['kind'][]) =>
    caveats.flatMap(({ kind, count }) => (kinds.includes(kind) ? [count] : [])).join();
  const told: Record<string, unknown> = {};
  for (const words of [[], ['--match', 'then'], ['--from', '2026', '--undated', 'include']]) {
    for (const command of ['report', 'evidence', 'workbook']) {
      const place = `${command}-${words.join('-').replaceAll(/\W/g, '')}`;
      const made = join(directory, command === 'workbook' ? `${place}.xlsx` : place);
      const given = [command, out, '--out', made, ...both, ...words];
      const summary = await cliJson<Made>(given, 3);
      const { sessions, jobs } = summary as unknown as { sessions: number; jobs: number };
      const gaps = countOf(summary, 'gap');
      told[place] = [sessions, jobs, gaps, countOf(summary, 'listed_twice')];
    }
  }
  const found = await cliJson<Made>(['search', out, 'then', ...both], 3);
  told['search'] = [
    new Set((found['hits'] as Row[]).map(({ session_id: id }) => id)).size,
    found['matches'],
    countOf(found, 'searched_gap'),
    countOf(found, 'listed_twice'),
  ];
  const listed = await cliJson<Made>(['show', out], 3);
  const sessions = listed['sessions'] as { jobs: number }[];
  const jobsOf = (all: readonly { jobs: number }[]) => all.reduce((sum, { jobs }) => sum + jobs, 0);
  const last = [countOf(listed, 'gap'), countOf(listed, 'listed_twice')];
  told['show'] = [sessions.length, jobsOf(sessions), ...last];
  return told;
}

it('every output counts it once, its gap too, and says how many are listed twice', async () => {
  for (const user of ['ana', 'Ana']) {
    people.talk(user, 's-1', 'Shared', [
      { question: 'And then?', id: 'j-0', table: 'lost.csv', csv: null },
      { question: 'And then again?', id: 'j-1' },
    ]);
  }
  people.talk('ana', 's-own', 'Only here', [{ question: 'Mine, and then?', id: 'j-own' }]);
  expect(await people.rig.export()).toMatchObject({
    users: { complete: 1, with_gaps: 1 },
    sessions: { listed: 2, new: 2 },
    jobs: { archived: 3 },
    artifacts: { missing: 1 },
    gaps: [{ user: 'Ana', session: 's-1' }],
  });
  const expected = [2, 3, '1', '1'];
  const told = await countedBy();
  expect(told).toEqual(Object.fromEntries(Object.keys(told).map((key) => [key, expected])));
  const { out } = people.rig;
  expect(await cliJson(['status', out])).toMatchObject({
    users: { complete: 1, incomplete: 1, not_proven: 0 },
    sessions: { total: 2 },
    jobs: { total: 3 },
    gaps: { missing: 1 },
    shared_sessions: [{ users: ['Ana', 'ana'], sessions: 1, spellings: true }],
    last_export: { users: 2, complete: 1 },
    runs: [{ users: 2, complete: 1 }],
  });
  expect(await people.rig.export()).toMatchObject({
    sessions: { listed: 2, new: 0, changed: 0, unchanged: 2 },
    jobs: { archived: 0, unchanged: 3 },
    gaps: [{ user: 'Ana', session: 's-1' }],
  });
  expect(
    await rows(
      'SELECT (SELECT count(*) FROM current_sessions) AS n, count(*) AS jobs FROM current_jobs',
    ),
  ).toEqual([{ n: 2, jobs: 3 }]);
  expect(await cliJson<{ gaps: unknown[] }>(['gap', 'list', out])).toMatchObject({
    gaps: [{ session_id: 's-1' }],
  });
  const both = ['--user', 'ana', '--user', 'Ana'];
  const planned = await cliJson(['erase', out, ...both, '--dry-run', '--reason', 'r', '--by', 'B']);
  expect(planned).toMatchObject({ erased: { sessions: 2, jobs: 3 } });
  const plan = await cli(['erase', out, ...both, '--dry-run']);
  expect(plan.stdout).toContain('service first: 2 conversations of these are still there');
  expect(await cliJson(['drill', out])).toMatchObject({ sessions: 2, jobs: 3 });
  const pruned = await cliJson<Row>(['prune', out, '--all', '--dry-run']);
  expect(pruned).toMatchObject({ planned: 0, deletions: { refused: 2 } });
});

it('an erasure and a request say that another spelling is the same person where it is', async () => {
  listUnder('ana', 'Ana');
  await people.rig.archived();
  const { out } = people.rig;
  const about = ['--user', 'ana', '--reason', 'r', '--by', 'B'];
  for (const words of [
    ['erase', out, '--dry-run', ...about],
    ['request', 'new', out, 'M 1', ...about],
    ['request', 'show', out, 'M 1'],
  ]) {
    const { stdout } = await cli(words);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'user Ana: another spelling of a user named here; it is the same person, because both list the same conversations: ',
    );
  }
});

it('status of one spelling says that the other is the same person, of whom all is here', async () => {
  listUnder('ana', 'Ana');
  await people.rig.archived();
  const { stdout } = await cli(['status', people.rig.out, '--user', 'ana']);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'note 1 other spelling of a user who is named is the same person, with no other conversation',
  );
});

it('a gap that is accepted of it is accepted under each spelling', async () => {
  for (const user of ['ana', 'Ana']) {
    people.talk(user, 's-1', 'Shared', [{ id: 'j-0', table: 'lost.csv', csv: null }]);
  }
  await people.rig.archived();
  const { out } = people.rig;
  const accept = ['gap', 'accept', out, '--user', 'Ana', '--reason', 'r', '--by', 'B', '--yes'];
  expect((await cli(accept)).stdout).toContain('Accepted 1 gap in commit ');
  expect(await cliJson(['status', out])).toMatchObject({ gaps: {}, accepted_gaps: 1 });
  expect(await people.rig.export()).toMatchObject({ status: 'incomplete-by-decision' });
});

it('an erasure of a session of both spellings is one erased conversation', async () => {
  listUnder('ana', 'Ana');
  people.talk('ana', 's-own', 'Only here', [{ question: 'Mine?', id: 'j-own' }]);
  people.talk('Ana', 's-own', 'Only here', [{ question: 'Mine?', id: 'j-own' }]);
  people.talk('ben', 's-ben', 'Another', [{ question: 'Who?', id: 'j-ben' }]);
  await people.rig.archived();
  const { out } = people.rig;
  await cli(['erase', out, '--session', 's-own', '--reason', 'r', '--by', 'B', '--yes']);
  for (const words of [[], ['--user', 'ana']]) {
    const { caveats } = await cliJson<Made>(['show', out, ...words]);
    const erased = caveats.find(({ kind }) => kind === 'erased');
    expect([words, erased?.headline]).toEqual([
      words,
      words.length === 0 ? '1 of 3 conversations was erased' : '1 of 2 conversations was erased',
    ]);
  }
  const { caveats } = await cliJson<Made>(['show', out, '--user', 'ben']);
  expect(caveats.map(({ kind }) => kind)).not.toContain('maybe_erased');
});

it('a session counts where the service still has it, and of one run where it was read whole', async () => {
  listUnder('ana', 'Ana');
  people.talk('Ana', 's-own', 'Only here', [{ question: 'Mine?', id: 'j-own' }]);
  await people.rig.archived();
  people.rig.state.deleteSession('Ana', 's-shared');
  people.talk('ana', 's-shared', 'Shared', [{ question: 'The falcon?', id: 'j-2' }]);
  await people.rig.export();
  expect(await rows('FROM sessions_listed_again')).toEqual([
    { user_id: 'Ana', session_id: 's-shared', counts_for: 'ana' },
  ]);
  expect(await rows('SELECT count(*)::INTEGER AS n FROM current_jobs')).toEqual([{ n: 4 }]);
  expect(await cliJson(['status', people.rig.out])).toMatchObject({
    sessions: { total: 2, gone: 0 },
    jobs: { total: 4 },
  });
  const found = await cli(['search', people.rig.out, 'falcon']);
  expect([found.exitCode, found.stdout]).toEqual([
    0,
    expect.stringContaining('1 hit in 4 questions'),
  ]);
});

it('a session counts where it has more questions, where one run has read it otherwise for each', async () => {
  people.talk('Ana', 's-shared', 'Shared', [{ question: 'Which?', id: 'j-0' }]);
  people.talk('ana', 's-shared', 'Shared', [
    { question: 'Which?', id: 'j-0' },
    { question: 'The falcon?', id: 'j-1' },
  ]);
  await people.rig.archived();
  expect(await rows('FROM sessions_listed_again')).toEqual([
    { user_id: 'Ana', session_id: 's-shared', counts_for: 'ana' },
  ]);
  const { exitCode, stdout } = await cli(['search', people.rig.out, 'falcon']);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('1 hit in 2 questions')]);
});

it('a run lacks nothing where what one spelling lacks counts for another that has it', async () => {
  const job = { question: 'Which?', id: 'j-0' };
  people.talk('Ana', 's-shared', 'Shared', [{ ...job, table: 'lost.csv', csv: null }]);
  people.talk('ben', 's-ben', 'Another', [{ question: 'Who?' }]); // the next file has another URL
  people.talk('ana', 's-shared', 'Shared', [
    { ...job, table: 'here.csv', csv: 'a,b\n1,2\n' },
    { question: 'And then?', id: 'j-1' },
  ]);
  await people.rig.export();
  expect(await cliJson(['status', people.rig.out])).toMatchObject({
    gaps: {},
    last_export: { outcome: 'complete', users: 3, complete: 3 },
  });
});

it('a question that only the spelling has that does not count is told as a doubt', async () => {
  const both = [
    { question: 'Which?', id: 'j-0' },
    { question: 'The falcon?', id: 'j-1' },
  ];
  people.talk('Ana', 's-shared', 'Shared', both);
  people.talk('ben', 's-ben', 'Another', [{ question: 'Who?' }]);
  await people.rig.archived();
  people.rig.state.deleteSession('Ana', 's-shared');
  people.talk('ana', 's-shared', 'Shared', both.slice(0, 1));
  await people.rig.export();
  const doubt = (kind: string, headline: string) => ({
    caveats: expect.arrayContaining([
      expect.objectContaining({ kind, severity: 'doubt', headline }),
    ]),
  });
  const all = 'and counts once; 1 question that only the other spelling has is not here';
  const listed = `1 conversation is listed under two spellings of a user, ${all}`;
  const ofAll = await cliJson(['search', people.rig.out, 'falcon']);
  expect(ofAll).toMatchObject({ hits: [], ...doubt('listed_twice', listed) });
  const ofOne = await cliJson(['search', people.rig.out, 'falcon', '--user', 'ana']);
  const same = 'is the same person, with 1 question that is not here';
  const spelling = `1 other spelling of a user who is named ${same}`;
  expect(ofOne).toMatchObject({ hits: [], ...doubt('same_person', spelling) });
});

it('what conversations of another spelling have, and what those here lack, is told apart', async () => {
  const both = [
    { question: 'Which?', id: 'j-0' },
    { question: 'The falcon?', id: 'j-1' },
  ];
  people.talk('Ana', 's-shared', 'Shared', both);
  people.talk('Ana', 's-own', 'Own', [{ question: 'One?' }, { question: 'Two?' }]);
  people.talk('ben', 's-ben', 'Another', [{ question: 'Who?' }]);
  await people.rig.archived();
  people.rig.state.deleteSession('Ana', 's-shared');
  people.talk('ana', 's-shared', 'Shared', both.slice(0, 1));
  await people.rig.export();
  const { caveats } = await cliJson<{ caveats: Caveat[] }>([
    ...['search', people.rig.out, 'falcon', '--user', 'ana'],
  ]);
  expect(caveats.map(({ headline }) => headline)).toContain(
    '1 other spelling of a user who is named is the same person, with 1 conversation that is not here, and 1 question that the conversations here lack',
  );
});

it('a gap that is accepted stays so where its conversation moves to another spelling', async () => {
  const job = { id: 'j-0', table: 'lost.csv', csv: null };
  people.talk('Ana', 's-1', 'Shared', [job]);
  people.talk('ben', 's-ben', 'Another', [{ question: 'Who?' }]);
  await people.rig.archived();
  const { out } = people.rig;
  await cli(['gap', 'accept', out, '--user', 'Ana', '--reason', 'r', '--by', 'B', '--yes']);
  const losses = 'SELECT with_lost_file, lost_file_rate FROM v_failures_by_week';
  const before = await rows(losses);
  people.rig.state.deleteSession('Ana', 's-1');
  people.talk('ana', 's-1', 'Shared', [job]);
  expect(await people.rig.export()).toMatchObject({ status: 'incomplete-by-decision' });
  expect(await cliJson(['status', out])).toMatchObject({ gaps: {}, accepted_gaps: 1 });
  expect(await rows('SELECT user_id FROM accepted_losses')).toEqual([{ user_id: 'ana' }]);
  expect(await rows(losses)).toEqual(before);
  const [key, copy] = [join(people.rig.directory, 'key'), join(people.rig.directory, 'copy')];
  await writeFile(key, 'k'.repeat(32), { mode: 0o600 });
  await cli(['copy', out, copy, '--pseudonymise', key]);
  expect(await cliJson(['status', copy])).toMatchObject({ gaps: {}, accepted_gaps: 1 });
});

it('a file that only the spelling has that does not count is told as a doubt', async () => {
  const job = { question: 'Which?', id: 'j-0', table: 'sales.csv' };
  people.talk('Ana', 's-shared', 'Shared', [{ ...job, csv: 'a,b\n1,2\n' }]);
  people.talk('ben', 's-ben', 'Another', [{ question: 'Who?' }]);
  await people.rig.archived();
  people.rig.state.deleteSession('Ana', 's-shared');
  people.talk('ana', 's-shared', 'Shared', [{ ...job, csv: null }]);
  await people.rig.export();
  const told = async (...words: string[]) => {
    const { caveats } = await cliJson<{ caveats: Caveat[] }>(
      ['search', people.rig.out, ...words],
      3,
    );
    return caveats.filter(({ severity }) => severity === 'doubt').map(({ headline }) => headline);
  };
  expect(await told('which')).toContainEqual(
    expect.stringMatching(/; 1 file that only the other spelling has is not here$/),
  );
  expect(await told('which', '--user', 'ana')).toContainEqual(
    expect.stringMatching(/ the same person, with 1 file that is not here$/),
  );
});

/** Exports everybody, while the service refuses to list one of them. */
async function exportWithout(user: string): Promise<void> {
  const { faults } = people.rig.emulator;
  const answer = { kind: 'error', status: 500, code: 9999 } as const;
  faults.api = [{ operations: ['listSessions'], userId: user, answer }];
  await people.rig.export({ users: ['ana', 'ben'] });
}

it('a listing that failed is no listing: it counts for the spelling that was read last', async () => {
  people.talk('Ana', 's-shared', 'Shared', [{ question: 'Which?', id: 'j-0' }]);
  people.talk('ben', 's-ben', 'Another', [{ question: 'Who?', id: 'j-ben' }]);
  await people.rig.export({ users: ['Ana', 'ben'] });
  people.talk('ana', 's-shared', 'Shared', [
    { question: 'Which?', id: 'j-0' },
    { question: 'The zebra?', id: 'j-1' },
  ]);
  await people.rig.export({ users: ['ana', 'ben'] });
  await exportWithout('ana');
  expect(await rows('FROM sessions_listed_again')).toEqual([
    { user_id: 'Ana', session_id: 's-shared', counts_for: 'ana' },
  ]);
  expect(await rows('SELECT user_id, person FROM user_spellings')).toEqual([
    { user_id: 'Ana', person: 'ana' },
  ]);
  expect(await rows('SELECT count(*)::INTEGER AS n FROM current_jobs')).toEqual([{ n: 3 }]);
  const found = await cli(['search', people.rig.out, 'zebra']);
  expect(found.stdout).toContain('1 hit in 3 questions');
  expect(await cliJson(['status', people.rig.out])).toMatchObject({ jobs: { total: 3 } });
});

it('a user was seen, and has a listing of an age, when a listing was read to its end', async () => {
  people.talk('ana', 's-ana', 'Hers', [{ question: 'Which?', id: 'j-0' }]);
  people.talk('ben', 's-ben', 'Another', [{ question: 'Who?', id: 'j-ben' }]);
  await people.rig.export({ users: ['ana', 'ben'] });
  const seen = "SELECT last_seen_at FROM users WHERE user_id = 'ana'";
  const before = await rows(seen);
  await exportWithout('ana');
  expect(await rows(seen)).toEqual(before);
  const { out } = people.rig;
  expect(await cliJson(['status', out])).toMatchObject({
    oldest_listing: { user: 'ana' },
    last_export: { listed_before: 1 },
  });
  const { caveats } = await cliJson<{ caveats: Caveat[] }>(['search', out, 'which'], 3);
  expect(caveats.find(({ kind }) => kind === 'not_proven')?.why).toContain(
    'the last listing failed',
  );
});

it('absent_sessions and accepted_losses have as many rows as status counts', async () => {
  for (const user of ['Ana', 'ana']) {
    people.talk(user, 's-gone', 'Gone', [{ question: 'Which?', id: 'j-gone' }]);
    people.talk(user, 's-lost', 'Lost', [{ id: 'j-lost', table: 'lost.csv', csv: null }]);
    people.talk(user, 's-here', 'Here', [{ question: 'Who?', id: 'j-here' }]);
  }
  await people.rig.archived();
  const { out, state } = people.rig;
  await cli(['gap', 'accept', out, '--user', 'Ana', '--reason', 'r', '--by', 'B', '--yes']);
  for (const user of ['Ana', 'ana']) state.deleteSession(user, 's-gone');
  // of this one another spelling is told that it is gone
  state.deleteSession('Ana', 's-here');
  await people.rig.export();
  expect(await cliJson(['status', out])).toMatchObject({ sessions: { gone: 1 }, accepted_gaps: 1 });
  expect(await rows('SELECT user_id, session_id FROM absent_sessions')).toEqual([
    { user_id: 'Ana', session_id: 's-gone' },
  ]);
  expect(await rows('SELECT user_id, session_id FROM accepted_losses')).toHaveLength(1);
});
