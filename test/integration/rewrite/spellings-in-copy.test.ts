/** A pseudonymised copy of users who are spelt twice: what lists nothing there is whom the service lists nothing of. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ArchiveStatus, Caveat } from '../../../src/index.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
/** What the last copy said. */
let told: string;
beforeEach(async () => {
  people = await SearchRig.start();
  for (const user of ['ana', 'Ana']) people.talk(user, 's', 'Shared', [{ id: 'j-1' }]);
  await people.rig.export({ users: ['ana', 'Ana', 'ghost'] });
});
afterEach(() => people[Symbol.asyncDispose]());

async function usersOf(place: string): Promise<ArchiveStatus['users']> {
  return (await cliJson<ArchiveStatus>(['status', place])).users;
}

async function copied(...words: string[]): Promise<string> {
  const [key, place] = ['key', 'copy'].map((name) => join(people.rig.directory, name));
  await writeFile(key ?? '', 'k'.repeat(40));
  const given = ['copy', people.rig.out, place ?? '', '--pseudonymise', key ?? '', ...words];
  const made = await cli(given);
  expect(made.exitCode, made.stderr).toBe(0);
  told = made.stdout;
  return place ?? '';
}

it('a spelling whose conversations count for another one is not taken for a mistyped id', async () => {
  expect(await usersOf(people.rig.out)).toMatchObject({ total: 3, people: 1, never_seen: 1 });
  const copy = await copied();
  expect(await usersOf(copy)).toMatchObject({ total: 3, people: 1, never_seen: 1 });
  const { caveats } = await cliJson<{ caveats: { kind: string; count: number }[] }>([
    ...['query', copy, 'FROM current_sessions'],
  ]);
  expect(caveats.filter(({ kind }) => kind === 'never_seen')).toMatchObject([{ count: 1 }]);
});

it('a spelling of which the service lists nothing any more does not fail a copy', async () => {
  people.rig.state.deleteSession('ana', 's');
  await people.rig.export({ users: ['Ana', 'ana', 'ghost'] });
  const counts = { total: 3, people: 1, never_seen: 1 };
  expect(await usersOf(people.rig.out)).toMatchObject(counts);
  expect(await usersOf(await copied())).toMatchObject(counts);
});

it('a copy has nothing of an id that exports read no more and that never had a conversation', async () => {
  await people.rig.export({ users: ['Ana', 'ana'] });
  expect(await usersOf(people.rig.out)).toMatchObject({ total: 3, people: 1, never_seen: 0 });
  const copy = await copied();
  expect(await usersOf(copy)).toMatchObject({ total: 2, people: 1, never_seen: 0 });
});

it('the listing of a spelling lacks nothing in a copy that was deleted after it', async () => {
  const { out, emulator } = people.rig;
  const [id = ''] = people.talk('Ana', 'old', 'Shared, too', [{}]);
  people.talk('ana', 'old', 'Shared, too', [{ id }]);
  for (const user of ['Ana', 'ana']) {
    await people.rig.export({ users: [user], scope: { named: true } });
  }
  const service = ['--base-url', emulator.baseUrl, '--user', 'ana'];
  const pruned = await cli(['prune', out, ...service, '--session', 'old', '--yes']);
  expect(pruned.exitCode, pruned.stderr).toBe(0);
  const whole = { total: 3, complete: 3, incomplete: 0 };
  expect(await usersOf(out)).toMatchObject(whole);
  expect(await usersOf(await copied())).toMatchObject(whole);
});

it.each([[[]], [['--request', 'Matter 7', '--by', 'Dana']]])(
  'two spellings of a person are one person in a copy (%j), and in all that it tells',
  async (words) => {
    for (const user of ['ana', 'Ana']) people.talk(user, `of-${user}`, 'Falcon', [{}]);
    await people.rig.export({ users: ['ana', 'Ana'] });
    const about = ['--user', 'ana', '--user', 'Ana', '--reason', 'r', '--by', 'Dana'];
    await cli(['request', 'new', people.rig.out, 'Matter 7', ...about]);
    const copy = await copied(...words);
    expect(told).toMatch(/copied +1 user, 3 conversations$/m);
    expect(await usersOf(copy)).toMatchObject({ people: 1 });
    expect((await cli(['status', copy])).stdout).toContain('(1 person with conversations)');
    const report = join(people.rig.directory, 'report');
    expect(await cliJson(['report', copy, '--out', report])).toMatchObject({
      users: 1,
      sessions: 3,
    });
    expect((await cli(['verify', copy])).exitCode).toBe(0);
  },
);

async function caveatsOf(place: string): Promise<readonly Caveat[]> {
  const { stdout } = await cli(['query', place, 'FROM current_sessions', '--json']);
  return (JSON.parse(stdout) as { caveats: Caveat[] }).caveats;
}

it('a copy of a whole archive tells what only the other spelling has, and who was never read', async () => {
  const { out, state } = people.rig;
  people.talk('Ana', 's', 'Shared', [{ id: 'j-2' }]);
  await people.rig.export({ users: ['Ana'], scope: { named: true } });
  state.deleteSession('Ana', 's');
  const others = ['ghost', 'cy', 'dee', 'eve', 'fay', 'gil', 'hal', 'ida', 'jan'];
  await people.rig.export({ users: ['ana', 'Ana', ...others], maxRequests: 5 });
  const kinds = ['listed_twice', 'unread_users'];
  const lost = async (place: string) =>
    (await caveatsOf(place))
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ kind, severity, headline, count }) => ({ kind, severity, headline, count }));
  const ofArchive = await lost(out);
  expect(ofArchive.map(({ kind }) => kind).toSorted()).toEqual(kinds);
  const copy = await copied();
  expect(await lost(copy)).toEqual(ofArchive);
  const own = await caveatsOf(copy);
  expect(own.find(({ kind }) => kind === 'never_seen')).toMatchObject({ next: null });
  expect((await usersOf(copy)).complete).toBe((await usersOf(out)).complete);
  const { stdout } = await cli(['report', copy, '--out', join(people.rig.directory, 'page')]);
  for (const { headline } of ofArchive) expect(stdout).toContain(headline);
  const [some] = await cliJson<{ rows: { user_id: string }[] }>([
    'query',
    copy,
    'SELECT user_id FROM current_sessions',
  ]).then(({ rows }) => rows);
  const asked = ['search', copy, 'anything', '--user', some?.user_id ?? ''];
  const { caveats } = JSON.parse((await cli([...asked, '--json'])).stdout) as { caveats: Caveat[] };
  expect(caveats.map(({ kind }) => kind)).not.toContain('unread_users');
  expect((await cli(['verify', copy])).exitCode).toBe(0);
});

it('a copy of an archive of which copying loses nothing notes nothing', async () => {
  const { pseudonymised } = await cliJson<ArchiveStatus>(['status', await copied()]);
  expect(pseudonymised).not.toHaveProperty('lacks');
});

it('query counts people in a copy as in its archive, whoever lists nothing of their own', async () => {
  for (const user of ['ana', 'Ana']) people.talk(user, `of-${user}`, 'Own', [{}]);
  for (const user of ['ben', 'Ben']) people.talk(user, 's-ben', 'Ben', [{ id: 'j-ben' }]);
  await people.rig.export({ users: ['ana', 'Ana', 'ben', 'Ben', 'ghost'] });
  const counts = async (place: string) => {
    const sql = `SELECT
      (SELECT count(DISTINCT person) FROM users) AS people,
      (SELECT count(DISTINCT person) FROM users JOIN v_questions USING (user_id)) AS asking,
      (SELECT count(*) FROM v_usage_by_user) AS rows,
      (SELECT sum(users) FROM v_usage_by_week) AS of_weeks`;
    return (await cliJson<{ rows: unknown[] }>(['query', place, sql])).rows;
  };
  const own = await counts(people.rig.out);
  expect(own).toMatchObject([{ people: 3, asking: 2, rows: 2 }]);
  expect(await counts(await copied())).toEqual(own);
});

it('what was erased of two spellings counts once in a copy, as in its archive', async () => {
  for (const user of ['ana', 'Ana']) people.talk(user, 's-2', 'Second', [{ id: 'j-2' }]);
  const users = ['ana', 'Ana', 'ghost'];
  await people.rig.export({ users });
  await cli(['erase', people.rig.out, '--session', 's-2', '--reason', 'r', '--yes']);
  for (const user of ['ana', 'Ana']) people.rig.state.deleteSession(user, 's-2');
  await people.rig.export({ users });
  for (const place of [people.rig.out, await copied()]) {
    const { erased, caveats } = await cliJson<ArchiveStatus>(['status', place]);
    const told = caveats.find(({ kind }) => kind === 'erased');
    expect([place, erased, told?.count]).toEqual([place, 1, 1]);
  }
});
