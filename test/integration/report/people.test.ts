/** Spellings of one id are one person: every output counts people so, and tells of one spelling that another is there. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { UserDetail } from '../../../src/cli/output/reports/user-status-report.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
const beside = (name: string): string => join(people.rig.directory, name);
beforeAll(async () => {
  people = await SearchRig.start();
  const [job = ''] = people.talk('ana', 's-shared', 'Shared', [{ question: 'Which?' }]);
  people.talk('Ana', 's-shared', 'Shared', [{ id: job, question: 'Which?' }]);
  people.talk('Ana', 's-own', 'Only here', [{ question: 'Mine?' }]);
  people.talk('ben', 's-ben', 'Another', [{ question: 'Who?' }]);
  await people.rig.export();
}, 60_000);
afterAll(() => people[Symbol.asyncDispose]());

interface Made {
  readonly users: number;
}

it('a report, a pack, a workbook, status and a query count the same people', async () => {
  const { out } = people.rig;
  const each = ['--user', 'ana', '--user', 'Ana', '--user', 'ben'];
  const made = await Promise.all([
    cliJson<Made>(['report', out, '--out', beside('report')]),
    cliJson<Made>(['evidence', out, '--out', beside('pack')]),
    cliJson<Made>(['workbook', out, ...each, '--out', beside('all.xlsx')]),
  ]);
  expect(made.map(({ users }) => users)).toEqual([2, 2, 2]);
  const { users } = await cliJson<{ users: object }>(['status', out]);
  expect(users).toMatchObject({ total: 3, people: 2 });
  expect((await cli(['status', out])).stdout).toMatch(/^ +users +3 of 2 people: /m);
  const { rows } = await cliJson<{ rows: unknown[] }>(['query', out, 'FROM v_usage_by_user']);
  expect(rows).toHaveLength(2);
  const page = await readFile(beside('report/index.html'), 'utf8');
  expect(page).toContain('<dt>Users</dt><dd><b>2</b>');
  const readme = await readFile(beside('pack/data/README.txt'), 'utf8');
  expect(readme).toMatch(/^ +users +2$/m);
  const { sheets } = await readXlsx(await readFile(beside('all.xlsx')));
  const cells = (sheets[0]?.rows ?? []).map((row) => row.filter((cell) => cell !== null));
  expect(cells).toContainEqual(['Users', 2]);
});

it('status of one spelling says of the other what a pack says, and counts all', async () => {
  const { out } = people.rig;
  const words = ['status', out, '--user', 'ana'];
  const { details } = await cliJson<{ details: UserDetail[] }>(words);
  const pack = await cliJson<{ caveats: unknown[]; status: string }>([
    ...['evidence', out, '--user', 'ana', '--out', beside('ana')],
  ]);
  expect(details[0]?.status).toBe(pack.status);
  expect(details[0]?.caveats).toEqual(pack.caveats);
  expect((await cli(words)).stdout).toMatch(
    /^ana: .*nothing is here of 1 user whose id is another spelling/,
  );
});

it('status of both spellings counts a conversation once that both list', async () => {
  const words = ['status', people.rig.out, '--user', 'ana', '--user', 'Ana'];
  const { details } = await cliJson<{ details: UserDetail[] }>(words);
  expect(details.reduce((sum, { sessions }) => sum + sessions.total, 0)).toBe(2);
  expect(details.reduce((sum, { jobs }) => sum + jobs.total, 0)).toBe(2);
  const { stdout } = await cli(words);
  expect(stdout).not.toContain('nothing is here of');
  expect(stdout.match(/s-shared .*counts for (ana|Ana)/g)).toHaveLength(1);
});
