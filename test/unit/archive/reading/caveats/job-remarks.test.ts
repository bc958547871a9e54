import { expect, it } from 'vitest';
import {
  remarksOn,
  rowsMayTell,
  withRemarked,
} from '../../../../../src/archive/reading/caveats/job-remarks.js';
import { jobWith } from '../../../../../src/archive/reading/rows/session-rows.js';
import { artifactsTable, blocksTable, jobsTable } from '../../../../../src/model/tables.js';
import { job as jobLine } from '../../../../support/store/archive-samples.js';

const file = (block: number, suspicious: string | null) => ({
  role: 'answer',
  block_index: block,
  file_index: 0,
  kind: 'TABLE',
  name: 'costs.csv',
  suspicious,
});
const artifacts = [file(1, 'an empty file'), file(2, null), file(4, 'an empty file')];
const job = jobWith({ job_id: 'j' }, { artifacts });

it('a doubtful file that an answer shows twice is remarked in each place, as the log counts it', () => {
  const notes = ['block 1 (TABLE): an empty file', 'block 4 (TABLE): an empty file'];
  expect(remarksOn([job], () => false)).toEqual(
    notes.map((note) => ({ kind: 'suspicious_file', job: 'j', file: 'costs.csv', note })),
  );
});

it('of tables that were not read nothing is remarked', () => {
  const remarks = remarksOn([job], () => true, [jobsTable, blocksTable]);
  expect(remarks).toEqual([{ kind: 'unsettled', job: 'j' }]);
});

it('columns that remarks need are read, also where a reader does not need them or the table', () => {
  const omitted = { artifacts: ['url', 'name', 'suspicious'], jobs: ['question_text'] };
  const tables = [jobsTable, artifactsTable];
  expect(withRemarked({ tables, omitted })).toEqual({
    tables,
    omitted: { artifacts: ['url'], jobs: ['question_text'] },
  });
  const read = withRemarked({ tables: [jobsTable], omitted: {} });
  expect(read.tables).toEqual(tables);
  expect(read.omitted['artifacts']).toContain('url');
  for (const needed of ['user_id', 'session_id', 'job_id', 'job_version', 'name', 'suspicious']) {
    expect(read.omitted['artifacts']).not.toContain(needed);
  }
});

it('rows are read of jobs of which the log says that they tell something', () => {
  const line = jobLine('ada', 's', 'j');
  const session = { deleted: false, goneAt: null };
  const told = [0, 1].map((suspicious) => rowsMayTell({ ...line, suspicious }, session));
  expect(told).toEqual([false, true]);
});
