/** Rows that are put together by session: those of none of the sessions are left out, or whoever gathers hears of them. */
import { expect, it } from 'vitest';
import { GatheredRows } from '../../../../../src/archive/reading/rows/selected-rows.js';
import type { Row } from '../../../../../src/model/table-schema.js';
import { jobsTable } from '../../../../../src/model/tables.js';
import { createMemoryStorage } from '../../../../support/store/memory-storage.js';

const SESSIONS = ['s-1', 's-2'].map((session) => ({ user: 'ada', session, jobs: 1 }));
const ROWS: readonly Row[] = [
  { user_id: 'ada', session_id: 's-2', job_id: 'j-2' },
  { user_id: 'ada', session_id: 's-3', job_id: 'j-3' },
  { user_id: 'ada', session_id: 's-1', job_id: 'j-1' },
];

const source = {
  count: () => ROWS.length,
  async *rows() {
    yield* await Promise.resolve(ROWS);
  },
};

it('rows come by session, those of no session are left out', async () => {
  const gathering = { tables: [jobsTable], target: createMemoryStorage() };
  const gathered = await GatheredRows.of(source, SESSIONS, gathering);
  const jobs: unknown[] = [];
  for await (const { session, rows } of gathered.sessions()) {
    jobs.push([session.session, rows.get('jobs')?.map((row) => row['job_id'])]);
  }
  await gathered.discard();
  expect(jobs).toEqual([
    ['s-1', ['j-1']],
    ['s-2', ['j-2']],
  ]);
});

it('whoever gathers may end it at a row of no session, and nothing stays set aside', async () => {
  const target = createMemoryStorage();
  const strange = ({ job_id: job }: Row): never => {
    throw new Error(`whose is ${String(job)}?`);
  };
  const gathering = { tables: [jobsTable], target, strange };
  await expect(GatheredRows.of(source, SESSIONS, gathering)).rejects.toThrow('whose is j-3?');
  expect(target.place.staged.size).toBe(0);
});
