import { expect, it } from 'vitest';
import { jobTimes } from '../../../../src/archive/state/job-times.js';
import type { JobState } from '../../../../src/archive/state/user-state.js';
import { asJobId } from '../../../../src/model/ids.js';

const AT = Date.UTC(2026, 9, 1);
const NO_BOUNDS = { after: null, before: null, isDated: false };

function cuid(ms: number): string {
  return `c${ms.toString(36).padStart(8, '0')}${'x'.repeat(16)}`;
}

/** Of jobs in the order in which a state has them, each with its number: the bounds of the one without a time. */
function boundsOfSilent(...numbered: readonly (readonly [number, string])[]) {
  const silent = numbered.find(([, id]) => !id.startsWith('c'))?.[1] ?? '';
  const jobs = numbered.map(([index, id]) => [asJobId(id), { index } as JobState] as const);
  return jobTimes({ jobs: new Map(jobs) }).get(asJobId(silent));
}

it('a time is bounded by the jobs before and after it, if the numbers have no gap', () => {
  const bounds = boundsOfSilent([0, cuid(AT)], [1, 'silent'], [2, cuid(AT + 5)]);
  expect(bounds).toEqual({
    after: BigInt(AT) * 1000n,
    before: BigInt(AT + 5) * 1000n,
    isDated: false,
  });
});

it('a time is not known where the history may be in the order of the ids, which is none', () => {
  const [older, newer] = [cuid(AT), cuid(AT + 5)];
  expect(boundsOfSilent([0, 'a'], [1, older], [2, newer])).toEqual(NO_BOUNDS);
  expect(boundsOfSilent([0, newer], [1, older], [2, 'a'])).toEqual(NO_BOUNDS);
  expect(boundsOfSilent([0, 'z'], [1, older], [2, newer])?.before).toBe(BigInt(AT) * 1000n);
});

it('a time is not known if a number is there twice: its neighbours are unknown then', () => {
  const [older, newer] = [cuid(AT), cuid(AT + 5)];
  expect(boundsOfSilent([0, older], [0, 'silent'], [1, newer])).toEqual(NO_BOUNDS);
  expect(boundsOfSilent([0, older], [1, 'silent'], [1, newer])).toEqual(NO_BOUNDS);
  const twice = new Map([0, 0].map((index, at) => [asJobId(cuid(AT + at)), { index } as JobState]));
  expect([...jobTimes({ jobs: twice }).values()].map(({ before }) => before)).toEqual([
    BigInt(AT) * 1000n,
    BigInt(AT + 1) * 1000n,
  ]);
});

it('a time is that of both neighbours where all are one, and of one neighbour alone unknown', () => {
  const [one, same] = [cuid(AT), cuid(AT).replace(/x$/, 'y')];
  const at = BigInt(AT) * 1000n;
  const bounds = boundsOfSilent([0, one], [1, 'silent'], [2, same]);
  expect(bounds).toEqual({ after: at, before: at, isDated: false });
  expect(boundsOfSilent([0, 'silent'], [1, same], [2, one])).toEqual(NO_BOUNDS);
});
