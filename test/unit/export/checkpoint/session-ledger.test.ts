import { describe, expect, it } from 'vitest';
import type { JobLine } from '../../../../src/archive/log/commit.js';
import type { Clock } from '../../../../src/base/runtime.js';
import { ulid } from '../../../../src/base/ulid.js';
import type { SessionState } from '../../../../src/archive/state/user-state.js';
import type { JobToFlatten } from '../../../../src/flatten/flatten-job.js';
import { SessionLedger } from '../../../../src/export/checkpoint/session-ledger.js';
import { asJobId, asRunId, asSessionId, asUserId } from '../../../../src/model/ids.js';
import { PagingError } from '../../../../src/service/service-errors.js';
import { NO_JOB, seededRandom } from '../../../support/store/archive-samples.js';

const session = { value: { id: asSessionId('s'), name: 'n' }, text: '{"id":"s","name":"n"}' };
const run = { runId: asRunId('run'), exportedAt: 1n };
const gap = new PagingError('one of two seen');

/** After a run that read the history, and what that run wrote of it. */
function afterReading(known: SessionState | undefined, problem: PagingError | undefined) {
  const ledger = new SessionLedger(asUserId('u'), session, known);
  const verdict = { distinct: 0, totalItems: 0, growth: null, gap: problem };
  const rows = ledger.close({ verdict, failure: undefined, run })?.rows;
  return { rows, ledger, state: stateOf(ledger) };
}

/** As the log gives it back to the next run. */
function stateOf(ledger: SessionLedger): SessionState {
  const { version, meta_hash: metaHash, total, archived, complete, growth, gaps } = ledger.entry;
  const { jobs, withdrawn } = ledger;
  const rest = { goneAt: null, deleted: false, jobs, withdrawn };
  return { version, metaHash, total, archived, complete, growth, gaps, ...rest };
}

const line: JobLine = {
  user: asUserId('u'),
  session: asSessionId('s'),
  job: asJobId('j'),
  version: 1,
  hash: 'a',
  text_hash: null,
  urls: null,
  files: null,
  settled: true,
  seen_at: '2026-11-22T00:00:00.000Z',
  index: 0,
  gaps: 0,
  suspicious: 0,
};

it('the row of a session is written again where nothing but its completeness has changed', () => {
  const incomplete = afterReading(undefined, gap);
  expect(incomplete.rows).toMatchObject([{ session_version: 1, is_complete: false }]);
  const complete = afterReading(incomplete.state, undefined);
  expect(complete.rows).toMatchObject([{ session_version: 2, is_complete: true }]);
  const again = afterReading(complete.state, gap);
  expect(again.rows).toMatchObject([{ session_version: 3, is_complete: false }]);
});

it("an unchanged session's row is not written again, and nothing is recorded in the log", () => {
  const first = afterReading(undefined, undefined);
  expect(first.ledger.isTouched).toBe(true);
  const second = afterReading(first.state, undefined);
  expect(second.rows).toBeUndefined();
  expect(second.ledger.isTouched).toBe(false);
});

describe('session ledger', () => {
  const at = (day: number) => BigInt(Date.UTC(2026, 10, day)) * 1000n;
  const ulidOf = (day: number, letter: string) => timeOf(day) + letter.repeat(16);

  it.each([
    ['earlier first', [2, 9]],
    ['later first', [9, 2]],
  ])(
    'a session row without a time has that of its earliest job with one in its id: %s',
    (_, days) => {
      const ledger = new SessionLedger(asUserId('u'), session, undefined);
      for (const id of ['untold', ...days.map((day) => ulidOf(day, 'A')), ulidOf(5, 'B')]) {
        ledger.add({ line: { ...line, job: asJobId(id) }, gaps: [], toWrite: undefined });
      }
      const verdict = { distinct: 4, totalItems: 4, growth: null, gap: undefined };
      const rows = ledger.close({ verdict, failure: undefined, run })?.rows;
      expect(rows).toMatchObject([{ created_at: null, created_before: at(2), job_count: 4 }]);
    },
  );

  it('the row of a session without a time of its own has no time if no id has a timestamp', () => {
    const { rows } = afterReading(undefined, undefined);
    expect(rows).toMatchObject([{ created_at: null, created_before: null }]);
  });
});

/** The first ten digits of a ULID of that day. */
function timeOf(day: number): string {
  const still = { now: () => Date.UTC(2026, 10, day) } as Clock;
  return ulid(still, seededRandom(1)).slice(0, 10);
}

describe('session ledger', () => {
  const toWrite = {} as JobToFlatten;

  it('a job counts as archived where its rows are new, and as changed where it had settled', () => {
    const ledger = new SessionLedger(asUserId('u'), session, undefined);
    ledger.add({ line, gaps: [], toWrite });
    expect([ledger.archived, ledger.settledHaveChanged]).toEqual([1, false]);
    ledger.add({ line: { ...line, version: 2 }, gaps: [], toWrite });
    expect([ledger.archived, ledger.settledHaveChanged]).toEqual([2, false]);
    ledger.add({ line: { ...line, version: 3, hash: 'b' }, gaps: [], toWrite });
    expect([ledger.archived, ledger.settledHaveChanged]).toEqual([3, true]);
    expect(ledger.jobs.get(line.job)).toMatchObject({
      version: 3,
      hash: 'b',
      seen_at: line.seen_at,
    });
    expect(ledger.entry).toMatchObject({ archived: 1, complete: false });
  });

  it('a job changes what is known of it, and nothing else, where its rows stand', () => {
    const ledger = new SessionLedger(asUserId('u'), session, undefined);
    const lost = { role: 'answer', block_index: 0, file_index: 0, kind: 'TABLE', reason: '404' };
    const gap = { job: line.job, status: 'missing', ...lost };
    ledger.add({ line: { ...line, gaps: 1 }, gaps: [gap], toWrite: undefined });
    expect([ledger.archived, ledger.gaps]).toEqual([0, [gap]]);
    ledger.add({ line: { ...line, hash: 'b' }, gaps: [], toWrite: undefined });
    expect([ledger.archived, ledger.settledHaveChanged, ledger.gaps]).toEqual([0, false, []]);
  });

  it('a job that is folded in is recorded in the log, though the row of its session is unchanged', () => {
    const { state } = afterReading(undefined, undefined);
    const ledger = new SessionLedger(asUserId('u'), session, state);
    ledger.add({ line, gaps: [], toWrite: undefined });
    expect(ledger.isTouched).toBe(true);
  });
});

const doubt = {
  ...NO_JOB,
  status: 'doubtful',
  reason: 'none of its jobs came',
  lost_below: 1,
};
const ofReading = { status: 'incomplete', reason: 'one of two seen' };
const UNREAD = { status: 'incomplete', reason: 'its history has not been read to the end yet' };

// a run that is killed then leaves its newest commit
describe('session ledger', () => {
  function reading(known: Partial<SessionState>) {
    const { state } = afterReading(undefined, undefined);
    return new SessionLedger(asUserId('u'), session, { ...state, ...known });
  }
  const oldJob = { jobs: new Map([[asJobId('old'), line]]) };
  const newJob = { line: { ...line, job: asJobId('new') }, gaps: [], toWrite: {} as JobToFlatten };

  it('a session being read is in doubt once new jobs come, and none of the archived ones', () => {
    const ledger = reading(oldJob);
    ledger.saw(['new']);
    expect(ledger.entry.gaps).toEqual([]);
    ledger.add(newJob);
    expect(ledger.entry.gaps).toMatchObject([{ status: 'doubtful', lost_below: 1 }, UNREAD]);
    ledger.saw(['old']);
    expect(ledger.entry.gaps).toEqual([]);
  });

  it('a session being read is not in doubt where nothing was archived before', () => {
    const ledger = reading({});
    ledger.saw(['new']);
    ledger.add(newJob);
    expect(ledger.entry.gaps).toEqual([]);
  });

  it('a session while its history is being read stays in doubt whatever has come so far', () => {
    const ledger = reading({ ...oldJob, gaps: [doubt] });
    ledger.saw(['old']);
    ledger.add(newJob);
    expect(ledger.entry.gaps).toMatchObject([doubt, UNREAD]);
  });
});

describe('session ledger', () => {
  const failure = { error: new Error('no answer from https://x.example/a?token=secret1') };
  const failed = (known: SessionState | undefined) => {
    const ledger = new SessionLedger(asUserId('u'), session, known);
    return { ledger, rows: ledger.close({ verdict: undefined, failure, run }) };
  };

  it('a failure is a gap that names it, without the secrets of a URL', () => {
    const { ledger, rows } = failed(undefined);
    expect(ledger.entry).toMatchObject({ complete: false, total: null, version: 1 });
    expect(ledger.gaps).toMatchObject([{ job: null, kind: null, status: 'failed' }]);
    expect(ledger.gaps[0]?.reason).toMatch(/^no answer from https:\/\/x\.example\/a/);
    expect(JSON.stringify(ledger.entry)).not.toContain('secret1');
    expect(rows?.rows).toMatchObject([{ is_complete: false, job_count: 0 }]);
  });

  it('a failure leaves the archived row, and records itself in the log', () => {
    const { state } = afterReading(undefined, undefined);
    const { ledger, rows } = failed(state);
    expect(rows).toBeUndefined();
    expect([ledger.isTouched, ledger.entry.complete, ledger.entry.version]).toEqual([
      true,
      false,
      1,
    ]);
  });

  it('an end before the history was read says nothing new of an archived session', () => {
    const { state } = afterReading(undefined, undefined);
    const ledger = new SessionLedger(asUserId('u'), session, state);
    expect(ledger.close({ verdict: undefined, failure: undefined, run })).toBeUndefined();
    expect([ledger.isTouched, ledger.entry.complete]).toEqual([false, false]);
  });

  it.each<[string, Partial<SessionState>]>([
    ['was recorded as deleted', { deleted: true }],
    ['was recorded as gone', { goneAt: '2026-11-22T00:00:00.000Z' }],
    ['had another number of jobs announced', { total: 9 }],
    ['grew at the other end', { growth: 'front' }],
    ['was incomplete', { complete: false }],
  ])(
    'the end of a session is recorded in the log if it %s, though its row is unchanged',
    (_, over) => {
      const { state } = afterReading(undefined, undefined);
      const { rows, ledger } = afterReading({ ...state, ...over }, undefined);
      expect([rows, ledger.isTouched]).toEqual([undefined, true]);
      expect(ledger.entry).toMatchObject({ total: 0, growth: null, complete: true, gone_at: null });
    },
  );

  it('the end of a session is recorded in the log if a gap of the session is closed', () => {
    const { state } = afterReading(undefined, undefined);
    const { gaps } = afterReading(undefined, gap).ledger;
    expect(gaps).toMatchObject([{ job: null, status: 'incomplete', reason: 'one of two seen' }]);
    const { ledger } = afterReading({ ...state, gaps }, undefined);
    expect([ledger.isTouched, ledger.gaps]).toEqual([true, []]);
  });

  it('the end of a session is not recorded again if the same gap of the session is still there', () => {
    const { state } = afterReading(undefined, gap);
    const { ledger } = afterReading(state, gap);
    expect(ledger.isTouched).toBe(false);
    expect(ledger.gaps).toEqual([
      {
        ...NO_JOB,
        status: 'incomplete',
        reason: 'one of two seen',
      },
    ]);
  });

  it('the end of a session in a failure keeps a doubt, beside what failed', () => {
    const { state } = afterReading(undefined, undefined);
    const { ledger } = failed({ ...state, gaps: [doubt] });
    expect(ledger.gaps).toMatchObject([doubt, { status: 'failed' }]);
  });

  it('the end of a session has a doubt and what was not read to its end, each by itself', () => {
    const ledger = new SessionLedger(asUserId('u'), session, undefined);
    const verdict = { distinct: 0, totalItems: 0, growth: null, gap };
    ledger.close({ verdict, doubts: [doubt], failure: undefined, run });
    expect(ledger.gaps).toEqual([doubt, { ...doubt, ...ofReading, lost_below: undefined }]);
  });

  it('the end of a session knows where the session grew before', () => {
    const { state } = afterReading(undefined, undefined);
    const growths = [{ ...state, growth: 'back' as const }, undefined].map(
      (known) => new SessionLedger(asUserId('u'), session, known).growth,
    );
    expect(growths).toEqual(['back', null]);
  });

  it('the end of a session keeps the gaps of its jobs from run to run', () => {
    const { state } = afterReading(undefined, undefined);
    const place = { role: 'answer', block_index: 0, file_index: 0, kind: 'TABLE' };
    const ofJob = { job: asJobId('j'), ...place, status: 'missing', reason: '404' };
    const { ledger } = afterReading({ ...state, gaps: [ofJob] }, undefined);
    expect([ledger.gaps, ledger.gapsOf(asJobId('j')), ledger.gapsOf(asJobId('k'))]).toEqual([
      [ofJob],
      [ofJob],
      [],
    ]);
    expect(ledger.isTouched).toBe(false);
  });
});

it('a job that is withdrawn leaves the session with its gaps, and its next version says so', () => {
  const { state } = afterReading(undefined, undefined);
  const place = { role: 'answer', block_index: 0, file_index: 0, kind: 'TABLE' };
  const ofJob = { job: asJobId('j'), ...place, status: 'missing', reason: '404' };
  const jobs = new Map([[asJobId('j'), { ...line, gaps: 1 }]]);
  const ledger = new SessionLedger(asUserId('u'), session, { ...state, jobs, gaps: [ofJob] });
  expect(ledger.withdraw(asJobId('j'))).toEqual({ ...line, version: 2, withdrawn: true });
  expect(ledger.withdraw(asJobId('j'))).toBeUndefined();
  expect([ledger.gaps, ledger.jobs.size, [...ledger.withdrawn.keys()]]).toEqual([[], 0, ['j']]);
  expect([ledger.isTouched, ledger.entry.archived, ledger.firstNumber]).toEqual([true, 0, 1]);
  ledger.add({ line: { ...line, version: 3 }, gaps: [], toWrite: undefined });
  expect([ledger.jobs.size, ledger.withdrawn.size]).toEqual([1, 0]);
});
