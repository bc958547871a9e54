import { expect, it } from 'vitest';
import {
  remarksOn,
  rowsMayTell,
  withRemarked,
} from '../../../../src/archive/reading/job-remarks.js';
import { bareJob } from '../../../../src/archive/reading/session-rows.js';
import { artifactsTable, blocksTable, jobsTable } from '../../../../src/model/tables.js';
import { job as jobLine } from '../../../support/store/archive-samples.js';

const file = (path: string | null, suspicious: string | null) => ({
  path,
  suspicious,
  name: 'costs.csv',
});
const job = {
  ...bareJob({ job_id: 'j' }),
  artifacts: [
    file('artifacts/1', 'an empty file'),
    file('artifacts/1', 'an empty file'),
    file('artifacts/2', null),
    file(null, 'an empty file'),
  ],
};

it('a doubtful file that an answer shows twice is remarked once, one that is not stored never', () => {
  expect(remarksOn([job], () => false)).toEqual([
    { kind: 'suspicious_file', job: 'j', file: 'costs.csv', note: 'an empty file' },
  ]);
});

it('of tables that were not read nothing is remarked', () => {
  const remarks = remarksOn([job], () => true, [jobsTable, blocksTable]);
  expect(remarks).toEqual([{ kind: 'unsettled', job: 'j' }]);
});

it('columns that remarks need are read, also where a reader does not need them or the table', () => {
  const omitted = { artifacts: ['url', 'path', 'suspicious'], jobs: ['question_text'] };
  const tables = [jobsTable, artifactsTable];
  expect(withRemarked({ tables, omitted })).toEqual({
    tables,
    omitted: { artifacts: ['url'], jobs: ['question_text'] },
  });
  const read = withRemarked({ tables: [jobsTable], omitted: {} });
  expect(read.tables).toEqual(tables);
  expect(read.omitted['artifacts']).toContain('url');
  for (const needed of ['user_id', 'session_id', 'job_id', 'job_version', 'path', 'suspicious']) {
    expect(read.omitted['artifacts']).not.toContain(needed);
  }
});

it('rows are read of jobs of which the log says that they tell something', () => {
  const line = jobLine('ada', 's', 'j');
  const told = [0, 1].map((suspicious) => rowsMayTell({ ...line, suspicious }));
  expect(told).toEqual([false, true]);
});
