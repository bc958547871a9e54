import { expect, it } from 'vitest';
import { countGaps, wholeGap, type Gap } from '../../../../src/export/jobs/gap.js';

const gap = (over: Partial<Gap>): Gap => ({
  user: 'ann',
  session: 's',
  ...wholeGap('failed', 'no answer'),
  ...over,
});

it('gaps and doubts are added to those before, and those that were told are not new', () => {
  const before = countGaps([gap({}), gap({ status: 'doubtful' })]);
  expect(before).toMatchObject({ gaps: 1, doubts: 1, new_gaps: 1, new_doubts: 1 });
  const known = { known: true } as const;
  const met = [
    gap({}),
    gap(known),
    gap({ status: 'doubtful' }),
    gap({ status: 'doubtful', ...known }),
  ];
  expect(countGaps(met, before)).toMatchObject({ gaps: 3, doubts: 3, new_gaps: 2, new_doubts: 2 });
});
