/** Rows of a conversation against the log: a pack ends where one is missing, doubled, or of what the log does not name. */
import { expect, it } from 'vitest';
import type { SessionPlan } from '../../../src/evidence/plan.js';
import { factsOf } from '../../../src/evidence/session-rows.js';
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

function facts({ sessions, jobs, records }: Given) {
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
  return factsOf(plan, {
    rows: new Map(Object.entries(rows)),
    versions: rows.sessions,
    jobs: [made],
  } as unknown as MadeConversation<SurveyedSession>);
}

it('a conversation has every version, oldest first, and the part files of its rows', () => {
  const withdrawn = job(1, { job_id: 'j-0', archive_path: 'gone' });
  const { versions, jobs, parts } = facts({ records: [job(1), job(2), withdrawn] });
  expect(versions.map(({ version }) => version)).toEqual([1, 2]);
  expect(jobs.map((one) => one.versions.map(({ fact }) => fact.version))).toEqual([[1, 2]]);
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
  expect(() => facts(given)).toThrow(said);
});
