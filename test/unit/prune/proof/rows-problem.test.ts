import { expect, it } from 'vitest';
import { type JobState } from '../../../../src/archive/state/user-state.js';
import {
  versionKey,
  type ArchivedSession,
} from '../../../../src/archive/state/archived-session.js';
import { digestOfFiles } from '../../../../src/flatten/file-facts.js';
import { asJobId, asSessionId, asUserId } from '../../../../src/model/ids.js';
import { rowsProblem } from '../../../../src/prune/proof/rows-problem.js';
import type { ArtifactRow, SessionRows } from '../../../../src/prune/proof/session-rows.js';
import { job } from '../../../support/store/archived-sessions.js';

const j = asJobId('j');
const SHA = 'a'.repeat(64);
const file = (over: Partial<ArtifactRow> = {}): ArtifactRow => ({
  ...{ job: j, version: 2, place: 'answer/0/0', kind: 'TABLE', status: 'stored' },
  ...{ sha256: SHA, path: 'artifacts/a', bytes: 1 },
  ...over,
});

/** Two versions of one job, the newer of which has a file. */
function archived(over: Partial<JobState> = {}): ArchivedSession {
  const files = digestOfFiles([['answer/0/0', SHA]]);
  const newer = job({ version: 2, hash: 'h2', files, ...over });
  return {
    user: asUserId('u'),
    session: asSessionId('s'),
    state: { version: 3, jobs: new Map([[j, newer]]) },
    hashes: new Map([
      [versionKey(j, 1), 'h1'],
      [versionKey(j, 2), 'h2'],
    ]),
  } as unknown as ArchivedSession;
}

const raw = (version: number, hash = `h${version}`) => ({
  ...{ job: j, version, hash, urls: null },
  filePlaces: version === 2 ? ['answer/0/0'] : [],
});
const ROWS: SessionRows = {
  raw: [raw(1), raw(2)],
  jobs: [
    { job: j, version: 1, hash: 'h1' },
    { job: j, version: 2, hash: 'h2' },
  ],
  sessions: [1, 3],
  artifacts: [file()],
};

const problemOf = (rows: Partial<SessionRows>, job: Partial<JobState> = {}, unfetched = '') =>
  rowsProblem(archived(job), { ...ROWS, ...rows }, new Set([unfetched]));

it('the rows of a session are what the log says', () => {
  expect(problemOf({})).toBeUndefined();
});

it.each([
  [{ raw: [raw(2)] }, 'raw_jobs lacks 1 job version that the log names'],
  [{ raw: [] }, 'raw_jobs lacks 2 job versions that the log names'],
  [{ jobs: ROWS.jobs.slice(1) }, 'jobs lacks 1 job version that the log names'],
  [
    { raw: [...ROWS.raw, raw(3)] },
    'raw_jobs holds version 3 of job j, which the log does not know',
  ],
  [{ jobs: [...ROWS.jobs, ...ROWS.jobs] }, 'jobs holds version 1 of job j twice'],
  [{ raw: [raw(1), raw(2), raw(2)] }, 'raw_jobs holds version 2 of job j twice'],
  [
    { raw: [raw(1, 'other'), raw(2)] },
    'the content of version 1 of job j in raw_jobs is not what the log says: the hashes differ',
  ],
  [
    { jobs: [{ job: j, version: 2, hash: 'other' }] },
    'the content of version 2 of job j in jobs is not what the log says: the hashes differ',
  ],
  [{ sessions: [] }, 'sessions holds the newest version of the session not at all'],
  [{ sessions: [1, 2] }, 'sessions holds the newest version of the session not at all'],
  [{ sessions: [3, 1, 3] }, 'sessions holds the newest version of the session more than once'],
  [{ artifacts: [] }, 'the file at answer/0/0 of job j is not among the artifacts that are stored'],
] as const)('the rows of a session are refused: %#', (rows, problem) => {
  expect(problemOf(rows)).toBe(problem);
});

it.each([
  { status: 'failed' },
  { sha256: '' },
  { path: '' },
  { version: 1 },
  { place: 'answer/0/1' },
])(
  'the rows of a session are refused where the file is not stored, or another one is: %j',
  (over) => {
    expect(problemOf({ artifacts: [file(over)] })).toContain('the file at answer/0/0 of job j');
  },
);

it('the rows are refused where a file’s bytes, or a file beside, are not those of the log', () => {
  const problem = 'the files of job j in artifacts are not those of the log';
  expect(problemOf({ artifacts: [file({ sha256: 'b'.repeat(64) })] })).toBe(problem);
  expect(problemOf({ artifacts: [file(), file({ place: 'answer/1/0' })] })).toBe(problem);
  expect(problemOf({}, { files: null })).toBe(problem);
});

it('the rows are refused where the newest version is not the one that the state has', () => {
  expect(problemOf({}, { version: 3 })).toBe('raw_jobs lacks the newest version of job j');
  expect(problemOf({}, { hash: 'h1' })).toBe('raw_jobs lacks the newest version of job j');
});

it('the rows are refused where the parameters of its URLs are not those of the log', () => {
  const problem = 'the URLs of job j in raw_jobs are not those that the log has';
  expect(problemOf({}, { urls: { 'h v': 'd' } })).toBe(problem);
});

it('the rows of a session need no file of a kind that is accepted unfetched', () => {
  const artifacts = [file({ status: 'not_fetched', kind: 'LINK', sha256: '', path: '' })];
  expect(problemOf({ artifacts }, { files: null }, 'LINK')).toBeUndefined();
  expect(problemOf({ artifacts }, { files: null }, 'TABLE')).toContain('is not among');
  expect(problemOf({ artifacts }, { files: 'other' }, 'LINK')).toContain('are not those of');
});
