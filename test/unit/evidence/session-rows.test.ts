/** Rows of a conversation against the log: a pack ends where one is missing, doubled, or of what the log does not name. */
import { expect, it } from 'vitest';
import type { SessionPlan } from '../../../src/evidence/plan.js';
import { jobsOf, partsOf } from '../../../src/evidence/session-rows.js';
import type { MadeConversation, MadeJob } from '../../../src/making/conversations.js';
import type { SurveyedSession } from '../../../src/making/survey.js';
import type { Row } from '../../../src/model/table-schema.js';

const session = (version: number, more: Row = {}): Row => ({
  session_version: version,
  archive_path: `s${version}`,
  commit: version,
  ...more,
});

const job = (version: number, more: Row = {}): Row => ({
  job_id: 'j-1',
  job_version: version,
  archive_path: `j${version}`,
  commit: version,
  ...more,
});

/** The log has two versions of the session and of its job `j-1`, and has withdrawn `j-0`. */
const plan = {
  version: 2,
  jobs: new Map([['j-1', { job: 'j-1', state: { version: 2 }, place: 1 }]]),
  withdrawn: new Set(['j-0']),
} as unknown as SessionPlan;

interface Given {
  readonly sessions?: readonly Row[];
  readonly jobs?: readonly Row[];
  readonly records?: readonly Row[];
}

function compared({ sessions, jobs, records }: Given) {
  const rows = {
    sessions: sessions ?? [session(2), session(1)],
    jobs: jobs ?? [job(1), job(2)],
    raw_jobs: records ?? [job(1), job(2)],
  };
  const of = (version: number) => ({
    job: rows.jobs.find((row) => row['job_version'] === version) ?? job(version),
    raw_jobs: rows.raw_jobs.filter(
      (row) => row['job_id'] === 'j-1' && row['job_version'] === version,
    ),
    artifacts: [],
    sources: [],
    proposed_questions: [],
    blocks: [],
  });
  const made = { id: 'j-1', ...of(2), earlier: [of(1)] } as unknown as MadeJob;
  const conversation = {
    rows: new Map(Object.entries(rows)),
    versions: rows.sessions,
    jobs: [made],
  } as unknown as MadeConversation<SurveyedSession>;
  return { parts: partsOf(plan, conversation), jobs: jobsOf(plan, conversation) };
}

it('a job has every version, oldest first, and a conversation the part files of its rows', () => {
  const withdrawn = job(1, { job_id: 'j-0', archive_path: 'gone' });
  const { jobs, parts } = compared({ records: [job(1), job(2), withdrawn] });
  expect(jobs.map((one) => one.versions.map((rows) => rows.job.job_version))).toEqual([[1, 2]]);
  expect([...parts].sort()).toEqual(['j1', 'j2', 's1', 's2']);
});

it.each<readonly [what: string, given: Given, said: string]>([
  ['a version of the session lacks its row', { sessions: [session(2)] }, 'has 1 of 2 versions'],
  ['a version of a job lacks its row', { jobs: [job(2)] }, 'has 1 of 2 versions'],
  ['a version of a job lacks its record', { records: [job(2)] }, 'has 0 of 1 versions'],
  [
    'the session has a version twice',
    { sessions: [session(2), session(2, { archive_path: 'again' })] },
    'holds version 2 of something a second time',
  ],
  [
    'a job has a version twice',
    { jobs: [job(1), job(2), job(2)] },
    'holds version 2 of something a second time',
  ],
  ['a version has two records', { records: [job(1), job(2), job(2)] }, 'has 2 of 1 versions'],
  [
    'a row is of a job that the log does not name',
    { records: [job(1), job(2), job(1, { job_id: 'j-9' })] },
    'holds a version of a job that the log does not name',
  ],
  [
    'a row is of a version that the log does not name',
    { jobs: [job(1), job(2), job(3)] },
    'holds a version of a job that the log does not name',
  ],
  [
    'a row is of no version',
    { sessions: [session(1), session(0)] },
    'holds a version of a session that the log does not name',
  ],
])('a pack ends where %s', (_, given, said) => {
  expect(() => compared(given)).toThrow(said);
});
