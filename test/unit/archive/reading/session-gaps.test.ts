/** The gaps of a session, of all its jobs and of those that a search has found. */
import { describe, expect, it } from 'vitest';
import type { GapEntry } from '../../../../src/archive/log/commit.js';
import { gapsOfChosen, sessionGaps } from '../../../../src/archive/reading/doubts.js';
import { asJobId } from '../../../../src/model/ids.js';
import { gapOf, NO_JOB } from '../../../support/store/archive-samples.js';

const ofFile = gapOf('a', { status: 'expired', reason: 'its URL expired' });
const ofOtherFile: GapEntry = { ...ofFile, job: asJobId('b') };
const ofSession: GapEntry = {
  ...NO_JOB,
  status: 'incomplete',
  reason: 'two of its jobs have one id',
};
const doubt: GapEntry = { ...ofSession, status: 'doubtful', reason: 'another session answered' };
const reasonsOf = (gaps: readonly GapEntry[]): string[] => gaps.map(({ reason }) => reason);
const UNREAD = 'its history has not been read to the end yet';

it('the gaps of a session are those of the log where its history was read to the end', () => {
  expect(sessionGaps({ complete: true, gaps: [] })).toEqual([]);
  expect(sessionGaps({ complete: true, gaps: [ofFile, ofSession] })).toEqual([ofFile, ofSession]);
});

it('the gaps of a session have one more where its history was not read to the end', () => {
  expect(reasonsOf(sessionGaps({ complete: false, gaps: [] }))).toEqual([UNREAD]);
});

it('the gaps of a session name a history that was not read to its end beside the gap of a file', () => {
  const gaps = sessionGaps({ complete: false, gaps: [ofFile] });
  expect(reasonsOf(gaps)).toEqual([ofFile.reason, UNREAD]);
});

it.each([
  ['failed as a whole', ofSession],
  ['is in doubt', doubt],
])(
  'the gaps of a session have no other where it %s: that is why it is not complete',
  (_why, gap) => {
    expect(sessionGaps({ complete: false, gaps: [gap] })).toEqual([gap]);
  },
);

describe('session gaps', () => {
  const isChosen = (job: string): boolean => job === 'a';

  it("a search's gaps are those of its jobs and of the session as a whole", () => {
    const gaps = [ofFile, ofOtherFile, ofSession];
    expect(gapsOfChosen(gaps, isChosen)).toEqual([ofFile, ofSession]);
    expect(sessionGaps({ complete: true, gaps }, isChosen)).toEqual([ofFile, ofSession]);
  });

  it("a search's gaps have the unread end, though no job of the session is among its jobs", () => {
    const gaps = sessionGaps({ complete: false, gaps: [ofOtherFile] }, () => false);
    expect(reasonsOf(gaps)).toEqual([UNREAD]);
  });
});
