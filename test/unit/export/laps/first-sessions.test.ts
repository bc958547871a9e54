import { describe, expect, it } from 'vitest';
import { lastChangeMs, rankOf } from '../../../../src/export/laps/first-sessions.js';
import type { SessionState } from '../../../../src/archive/state/user-state.js';
import { ulid } from '../../../../src/base/ulid.js';
import { asJobId, asUserId } from '../../../../src/model/ids.js';
import { FakeClock } from '../../../support/base/fake-clock.js';
import { NO_JOB } from '../../../support/store/archive-samples.js';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 29);
const daysAgo = (days: number) => NOW_MS - days * DAY_MS;
const chance = { fraction: () => 0, bytes: (length: number) => new Uint8Array(length) };
const idOf = (atMs: number) => ulid(new FakeClock(atMs), chance);

interface Seen {
  readonly id?: string;
  readonly days: number;
  readonly version?: number;
  readonly settled?: boolean;
}

function sessionWith(jobs: readonly Seen[], more: Partial<SessionState> = {}): SessionState {
  const lines = jobs.map(({ id, days, version = 1, settled = true }, index) => {
    const job = {
      version,
      hash: '',
      text_hash: null,
      urls: null,
      files: null,
      settled,
      seen_at: new Date(daysAgo(days)).toISOString(),
      index,
      gaps: 0,
      suspicious: 0,
    };
    return [asJobId(id ?? `job ${index}`), job] as const;
  });
  return {
    version: 1,
    metaHash: '',
    total: jobs.length,
    archived: jobs.length,
    complete: true,
    growth: null,
    goneAt: null,
    gaps: [],
    deleted: false,
    jobs: new Map(lines),
    withdrawn: new Map(),
    ...more,
  };
}

const gap = {
  ...NO_JOB,
  status: 'missing',
  reason: '',
};
const nobody = { find: () => undefined };

function rank(known: SessionState | undefined, accepted: object = nobody): string {
  const facts = { user: asUserId('ann'), session: 's', known, listedSinceMs: daysAgo(90) };
  return rankOf({ ...facts, accepted: accepted as typeof nobody, nowMs: NOW_MS });
}

describe('a session comes first', () => {
  const old = [{ days: 90 }];

  it('where it is new, was not read to its end, or has a gap that nobody accepts', () => {
    expect(rank(undefined)).toBe('new');
    expect(rank(sessionWith(old))).toBe('other');
    expect(rank(sessionWith(old, { complete: false }))).toBe('first');
    expect(rank(sessionWith(old, { gaps: [gap] }))).toBe('first');
    expect(rank(sessionWith(old, { gaps: [gap] }), { find: () => ({ id: 'x' }) })).toBe('other');
  });

  it('where it has changed within a week', () => {
    expect(rank(sessionWith([...old, { days: 6 }]))).toBe('first');
    expect(rank(sessionWith([...old, { days: 8 }]))).toBe('other');
    expect(rank(sessionWith([{ days: 6, version: 2 }, { days: 90 }]))).toBe('first');
  });
});

describe('the last change of a session', () => {
  it('is none that the first reading of a user has found, unless an id or an open answer tells', () => {
    const since = daysAgo(5);
    expect(lastChangeMs('s', sessionWith([{ days: 5 }]), since)).toBe(-Infinity);
    expect(lastChangeMs('s', sessionWith([{ days: 5, settled: false }]), since)).toBe(daysAgo(5));
    const asked = sessionWith([{ days: 5, id: idOf(daysAgo(40)) }]);
    expect(lastChangeMs('s', asked, since)).toBe(daysAgo(40));
    expect(lastChangeMs(idOf(daysAgo(3)), asked, since)).toBe(daysAgo(3));
  });

  it('is the first reading of a session that the first list of its user did not have', () => {
    expect(lastChangeMs('s', sessionWith([{ days: 5 }]), daysAgo(9))).toBe(daysAgo(5));
  });
});
