import { describe, expect, it } from 'vitest';
import { asJobId } from '../../../../src/model/ids.js';
import { ageOf, lastActivityOf, newestJobMs } from '../../../../src/archive/state/session-age.js';
import { archived, DAY, job, NOW } from '../../../support/store/archived-sessions.js';

const AT = Date.UTC(2026, 9, 1);
const SEEN = Date.UTC(2026, 10, 1);

function cuid(ms: number): string {
  return `c${ms.toString(36).padStart(8, '0')}${'x'.repeat(16)}`;
}

const EARLIER = [9, 8, 7, 6, 5, 4, 3].map((ms) => cuid(AT - ms));

function session(id: string, jobs: readonly string[]) {
  const place = { commit: 1, daysAgo: (NOW - SEEN) / DAY };
  const states = jobs.map((jobId, index) => [asJobId(jobId), job({ index })] as const);
  const { session, state, changed } = archived(id, place, { jobs: new Map(states) });
  return { session, state, changed };
}

it('when something last happened in a session is the time in the newest job’s id', () => {
  const jobs = [cuid(AT - 5), `job-${cuid(AT)}`, cuid(AT - 9)];
  expect(lastActivityOf(session('s', jobs))).toEqual({ atMs: AT, from: 'job-id' });
});

it('the last event is when the change was first seen, if any id has no timestamp', () => {
  const of = session('s', [cuid(AT), 'job-1']);
  expect(lastActivityOf(of)).toEqual({ atMs: SEEN, from: 'first-seen' });
  expect(newestJobMs(of)).toBe(AT);
  expect(newestJobMs(session('s', ['job-1']))).toBeUndefined();
  expect(newestJobMs(session('s', [cuid(AT - 5), cuid(AT), cuid(AT - 9)]))).toBe(AT);
});

it("the last event is the newest job id's time, if its neighbours show that one is older", () => {
  const of = session('s', [...EARLIER, 'job-1', cuid(AT)]);
  expect(lastActivityOf(of)).toEqual({ atMs: AT, from: 'job-id' });
});

it('when something last happened in a session is the time in its own id only if it has no job', () => {
  expect(lastActivityOf(session(cuid(AT), []))).toEqual({ atMs: AT, from: 'session-id' });
  expect(lastActivityOf(session(cuid(AT), ['job-1'])).from).toBe('first-seen');
  expect(lastActivityOf(session('s', [])).from).toBe('first-seen');
});

describe('the age of a session', () => {
  const moment = AT + 1000;

  it('the age is known from the newest id, and from when an undated job was first seen', () => {
    expect(ageOf(session('s', [...EARLIER, 'x', cuid(AT)]), moment)).toMatchObject({
      is: 'older',
      activity: { atMs: AT, from: 'job-id' },
    });
    expect(ageOf(session('s', [cuid(AT), cuid(moment)]), moment).is).toBe('newer');
    expect(ageOf(session('s', ['x', cuid(AT)]), SEEN + 1).is).toBe('older');
  });

  it('the age is unknown if so few ids have a timestamp that their order may be chance', () => {
    const few = [...EARLIER.slice(1), 'x', cuid(AT)];
    expect(ageOf(session('s', few), moment).is).toBe('unknown');
  });

  it('the age is unknown if a job may be newer, and no job around it has a timestamp', () => {
    const of = session('s', [cuid(AT - 5), cuid(AT), 'x', 'y']);
    expect(ageOf(of, moment)).toEqual({ is: 'unknown', jobs: 2, seenMs: SEEN });
    expect(ageOf(session('s', []), moment)).toEqual({ is: 'unknown', jobs: 0, seenMs: SEEN });
  });

  it('the age is known where all jobs were seen before it, though something else was later', () => {
    const of = session('s', ['x', 'y', 'z']);
    const seen = [
      '2026-09-01T00:00:00.000Z',
      '2026-09-03T00:00:00.000Z',
      '2026-09-02T00:00:00.000Z',
    ];
    const jobs = [...of.state.jobs].map(
      ([id, job], at) => [id, { ...job, seen_at: seen[at] ?? '' }] as const,
    );
    const earlier = { ...of, state: { ...of.state, jobs: new Map(jobs) } };
    expect(ageOf(earlier, moment)).toEqual({
      is: 'older',
      activity: { atMs: Date.parse('2026-09-03T00:00:00.000Z'), from: 'first-seen' },
    });
    expect(ageOf(earlier, Date.parse('2026-09-03T00:00:00.000Z'))).toMatchObject({
      is: 'unknown',
      jobs: 1,
    });
  });

  it('the age is too low if the newest id has exactly that moment', () => {
    const of = session('s', [cuid(AT), cuid(moment)]);
    expect(ageOf(of, moment)).toEqual({ is: 'newer', activity: { atMs: moment, from: 'job-id' } });
  });

  it('the age is known if a job next to an undated one shows that it is newer', () => {
    const of = session('s', [cuid(AT), cuid(moment), 'x']);
    expect(ageOf(of, moment)).toEqual({ is: 'newer', activity: { atMs: moment, from: 'job-id' } });
  });
});
