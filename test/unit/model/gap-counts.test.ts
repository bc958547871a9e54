import { expect, it } from 'vitest';
import {
  countedGaps,
  gapCountTexts,
  LOST_STATUS,
  lostFilesIn,
  NO_GAPS,
  sumOfGaps,
} from '../../../src/model/gap-counts.js';

const some = [
  { status: 'missing', isAccepted: false },
  { status: 'expired', isAccepted: true },
  { status: 'doubtful', isAccepted: false },
  { status: 'doubtful', isAccepted: true },
  { status: 'doubtful', isAccepted: true },
];
const counts = countedGaps(some, ({ isAccepted }) => isAccepted);

it('a doubt is no gap, and what somebody has accepted is counted apart', () => {
  expect(counts).toEqual({ gaps: 1, doubts: 1, accepted_gaps: 1, accepted_doubts: 2 });
});

it('counts add up sort by sort', () => {
  expect(sumOfGaps([])).toEqual(NO_GAPS);
  expect(sumOfGaps([counts, counts])).toEqual({
    gaps: 2,
    doubts: 2,
    accepted_gaps: 2,
    accepted_doubts: 4,
  });
});

it('texts name each sort of which there are any', () => {
  expect(gapCountTexts(NO_GAPS)).toEqual([]);
  expect(gapCountTexts(counts)).toEqual([
    '1 gap',
    '1 doubt',
    '1 accepted gap',
    '2 accepted doubts',
  ]);
});

it('a lost file is no gap, and counts once in however many places it stood', () => {
  const places = ['a.csv', 'a.csv', 'b.csv'].map((file) => ({
    status: LOST_STATUS,
    reason: `${file} is missing`,
  }));
  expect(countedGaps(places, () => false)).toEqual(NO_GAPS);
  const lost = { lost_files: lostFilesIn(places) };
  expect(gapCountTexts({ ...NO_GAPS, ...lost, gaps: 1 })).toEqual(['2 lost files', '1 gap']);
});
