/** Spellings of one id that list the same conversation are one person: every output counts people so, and tells of one spelling that another is there. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { UserDetail } from '../../../src/cli/output/reports/user-status-report.js';
import { dataIn } from '../../../src/report/data-script.js';
import type { PeopleData } from '../../../src/report/page-data.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
const beside = (name: string): string => join(people.rig.directory, name);
beforeAll(async () => {
  people = await SearchRig.start();
  const [job = ''] = people.talk('ana', 's-shared', 'Shared', [{ question: 'Which?' }]);
  people.talk('Ana', 's-shared', 'Shared', [{ id: job, question: 'Which?' }]);
  people.talk('Ana', 's-own', 'Only here', [{ question: 'Mine?' }]);
  people.talk('ANA', 's-third', 'Unlike', [{ question: 'Whose?' }]);
  people.talk('ben', 's-ben', 'Another', [{ question: 'Who?' }]);
  // of whom the service has nothing is nobody
  await people.rig.export({ users: [...people.rig.state.userIds(), 'nobody'] });
}, 60_000);
afterAll(() => people[Symbol.asyncDispose]());

interface Made {
  readonly users: number;
}

it('a report, a pack, a workbook, status and a query count the same people', async () => {
  const { out } = people.rig;
  const each = ['ana', 'Ana', 'ANA', 'ben', 'nobody'].flatMap((user) => ['--user', user]);
  const made = await Promise.all([
    cliJson<Made>(['report', out, '--out', beside('report')]),
    cliJson<Made>(['evidence', out, '--out', beside('pack')]),
    cliJson<Made>(['workbook', out, ...each, '--out', beside('all.xlsx')]),
  ]);
  expect(made.map(({ users }) => users)).toEqual([3, 3, 3]);
  const { users } = await cliJson<{ users: object }>(['status', out]);
  expect(users).toMatchObject({ total: 5, people: 3 });
  expect((await cli(['status', out])).stdout).toMatch(
    /^ +users +5 \(3 people with conversations\): /m,
  );
  const { rows } = await cliJson<{ rows: unknown[] }>(['query', out, 'FROM v_usage_by_user']);
  expect(rows).toHaveLength(3);
  const page = await readFile(beside('report/index.html'), 'utf8');
  expect(page).toContain('<dt>Users</dt><dd><b>3</b> <span>with conversations<');
  const data = await readFile(beside('report/data/people.js'), 'utf8');
  expect((dataIn('people', data) as PeopleData).people).toBe(3);
  const readme = await readFile(beside('pack/data/README.txt'), 'utf8');
  expect(readme).toMatch(/^ +users +3 /m);
  const { sheets } = await readXlsx(await readFile(beside('all.xlsx')));
  const cells = (sheets[0]?.rows ?? []).map((row) => row.filter((cell) => cell !== null));
  expect(cells).toContainEqual(['Users', 3, 'with conversations; below are all 5 ids']);
});

it('status of one spelling says of the other what a pack says, and counts all', async () => {
  const { out } = people.rig;
  const words = ['status', out, '--user', 'ana'];
  const { details } = await cliJson<{ details: UserDetail[] }>(words);
  const made = await cli([...['evidence', out, '--user', 'ana', '--out', beside('ana')], '--json']);
  const pack = JSON.parse(made.stdout) as { caveats: unknown[]; status: string };
  // just what was named is there: no run and no repair ends that doubt
  expect([made.exitCode, pack.status]).toEqual([0, 'not-proven']);
  expect(details[0]?.status).toBe(pack.status);
  expect(details[0]?.caveats).toEqual(pack.caveats);
  expect((await cli(words)).stdout).toMatch(
    /^ana: .*1 other spelling of a user who is named is the same person, with 1 conversation that is not here/,
  );
});

it('a request for one spelling says what the other has, and what this one lacks of both', async () => {
  const words = ['request', 'new', people.rig.out, 'R', '--user', 'ana', '--reason', 'r'];
  const { other_spellings: others } = await cliJson<{ other_spellings: object[] }>(words);
  expect(others).toContainEqual({
    user: 'Ana',
    is_same: true,
    sessions_elsewhere: 1,
    questions_lacked: 0,
    files_lacked: 0,
  });
});

it('status of both spellings counts a conversation once that both list', async () => {
  const words = ['status', people.rig.out, '--user', 'ana', '--user', 'Ana'];
  const { details } = await cliJson<{ details: UserDetail[] }>(words);
  expect(details.reduce((sum, { sessions }) => sum + sessions.total, 0)).toBe(2);
  expect(details.reduce((sum, { jobs }) => sum + jobs.total, 0)).toBe(2);
  const { stdout } = await cli(words);
  expect(stdout).not.toContain('is the same person, with');
  expect(stdout.match(/s-shared .*counts for (ana|Ana)/g)).toHaveLength(1);
});
