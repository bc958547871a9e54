/** One odd record, or one odd page, does not take the others with it. */
import { expect, it } from 'vitest';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { fault } from '../../support/base/fault.js';

function jobsOf(count: number): object[] {
  return Array.from({ length: count }, (_, n) => ({
    job_id: `job-${n}`,
    question: { blocks: [{ type: 'MESSAGE', content: `question ${n}: is NaN a number?` }] },
    answer: { blocks: [{ type: 'MESSAGE', content: 'No. Infinity neither.', stage: 'Respond' }] },
  }));
}

async function rigOf(sessions: readonly { readonly id: string; readonly jobs: number }[]) {
  const rig = await ExportRig.start();
  const made = sessions.map(({ id, jobs }) => ({ id, name: id, jobs: jobsOf(jobs) }));
  rig.state.importJson(JSON.stringify({ users: [{ user_id: 'ada', sessions: made }] }));
  return rig;
}

async function idsIn(rig: ExportRig, table: string, column: string): Promise<unknown[]> {
  return [...new Set((await rig.rows(table)).map((row) => row[column]))].sort();
}

it.each(['NaN', 'Infinity', '-Infinity'] as const)(
  'a job with a bare %s is a gap that names the place, and the others are archived',

  async (written) => {
    await using rig = await rigOf([{ id: 's-1', jobs: 3 }]);
    rig.emulator.faults.bareNumbers = { 'job-1': written };
    const { gaps } = await rig.export();
    expect(gaps).toHaveLength(1);
    expect(gaps[0]?.reason).toContain(
      `("job-1") has ${written} at scores[1], which is no number of JSON`,
    );
    expect(await idsIn(rig, 'jobs', 'job_id')).toEqual(['job-0', 'job-2']);
    // once the service says it otherwise, nothing is missing
    rig.emulator.faults.bareNumbers = {};
    expect((await rig.export()).gaps).toEqual([]);
    expect(await idsIn(rig, 'jobs', 'job_id')).toEqual(['job-0', 'job-1', 'job-2']);
  },
);

it(
  'a session with a bare NaN is a gap that names the place, and the others are archived',
  fault('F-159'),
  async () => {
    await using rig = await rigOf([
      { id: 's-1', jobs: 1 },
      { id: 's-2', jobs: 1 },
      { id: 's-3', jobs: 1 },
    ]);
    rig.emulator.faults.bareNumbers = { 's-2': 'NaN' };
    const { gaps } = await rig.export();
    expect(JSON.stringify(gaps)).toContain('has NaN at scores[1]');
    expect(await idsIn(rig, 'sessions', 'session_id')).toEqual(['s-1', 's-3']);
  },
);

it(
  'a page whose records are null where no record is promised is an empty list',
  fault('F-159'),
  async () => {
    await using rig = await rigOf([
      { id: 's-1', jobs: 0 },
      { id: 's-2', jobs: 10 },
    ]);
    rig.emulator.faults.emptyRecords = 'null';
    const { gaps } = await rig.export({ pageSize: 10 });
    expect(gaps).toEqual([]);
    expect(await idsIn(rig, 'sessions', 'session_id')).toEqual(['s-1', 's-2']);
    expect(await rig.rows('jobs')).toHaveLength(10);
  },
);

it(
  'behind an empty page the reading goes on as long as the total promises more',
  fault('F-159'),
  async () => {
    await using rig = await rigOf([{ id: 's-1', jobs: 40 }]);
    rig.emulator.faults.clampPageSize = 10;
    rig.emulator.faults.emptyPages = [2, 3];
    const { gaps } = await rig.export();
    expect(gaps).toHaveLength(1);
    expect(gaps[0]?.reason).toMatch(/\d+ seen, 40 announced/);
    const jobs = await idsIn(rig, 'jobs', 'job_id');
    // the last ones of the list, which stand behind the empty pages
    expect(jobs).toEqual(expect.arrayContaining(['job-0', 'job-1', 'job-2']));
    expect(jobs.length).toBeGreaterThanOrEqual(15);
    rig.emulator.faults.emptyPages = [];
    expect((await rig.export()).gaps).toEqual([]);
    expect(await rig.rows('jobs')).not.toHaveLength(0);
  },
);
