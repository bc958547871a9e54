import { expect, it } from 'vitest';
import type { JobState, SessionState } from '../../../src/archive/state/user-state.js';
import { lastChangeMs } from '../../../src/export/budget/user-visit.js';
import { asJobId } from '../../../src/model/ids.js';

const FIRST_MS = Date.UTC(2026, 9, 1);
const LATER_MS = Date.UTC(2026, 9, 9);
/** A ULID of the year 2023. */
const OLD_ID = '01H00000000000000000000000';
const OLD_MS = 1_683_627_180_032;

function session(jobs: Readonly<Record<string, Partial<JobState> & { at: number }>>): SessionState {
  const entries = Object.entries(jobs).map(([id, { at, ...changes }], index) => {
    const seen_at = new Date(at).toISOString();
    const files = { urls: null, files: null };
    const state = {
      version: 1,
      hash: '',
      text_hash: null,
      ...files,
      settled: true,
      seen_at,
      index,
      gaps: 0,
      suspicious: 0,
    };
    return [asJobId(id), { ...state, ...changes }] as const;
  });
  return {
    version: 1,
    metaHash: '',
    total: null,
    archived: entries.length,
    complete: true,
    growth: null,
    goneAt: null,
    gaps: [],
    deleted: false,
    jobs: new Map(entries),
    withdrawn: new Map(),
  };
}

it('the last change of a session is unknown if everything was there at the first check and no id has a timestamp', () => {
  expect(lastChangeMs(session({ a: { at: FIRST_MS } }), undefined)).toBeNull();
});

it('the last change of a session is when its newest job was made, if ids have timestamps', () => {
  const jobs = { [OLD_ID]: { at: FIRST_MS }, b: { at: FIRST_MS } };
  expect(lastChangeMs(session(jobs), undefined)).toBe(OLD_MS);
});

it.each([
  ['a job came to light', { a: { at: FIRST_MS }, [OLD_ID]: { at: LATER_MS } }],
  ['a job was seen to have changed', { [OLD_ID]: { at: LATER_MS, version: 2 } }],
  ['an answer was still to come', { a: { at: LATER_MS, settled: false } }],
])('the last change of a session is when %s', (_what, jobs) => {
  expect(lastChangeMs(session(jobs), undefined)).toBe(LATER_MS);
});

it('the last change of a session is when it was created, if nothing has happened since', () => {
  expect(lastChangeMs(session({ a: { at: LATER_MS } }), FIRST_MS)).toBe(FIRST_MS);
});
