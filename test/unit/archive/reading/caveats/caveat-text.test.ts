/** The word for how whole something is, and the first sentence that tells it. */
import { describe, expect, it } from 'vitest';
import type { Caveat } from '../../../../../src/archive/reading/caveats/caveat.js';
import {
  completenessOf,
  headlineOf,
  isIncomplete,
  namesIn,
} from '../../../../../src/archive/reading/caveats/caveat-text.js';

type Told = Pick<Caveat, 'kind' | 'severity' | 'count' | 'headline' | 'open'>;

const GAPS: Told = {
  kind: 'gap',
  severity: 'missing',
  count: 2,
  headline: '2 gaps',
  open: true,
};
const ACCEPTED: Told = {
  kind: 'accepted_gap',
  severity: 'missing',
  count: 1,
  headline: '1 accepted gap',
  open: false,
};
const ERASED: Told = {
  kind: 'erased',
  severity: 'missing',
  count: 1,
  headline: '1 of 8 conversations was erased',
  open: false,
};
const IN_PART: Told = {
  kind: 'table_in_part',
  severity: 'doubt',
  count: 1,
  headline: '1 table was searched only in its first 16 KB',
  open: false,
};
const DOUBTED: Told = {
  kind: 'doubted',
  severity: 'doubt',
  count: 1,
  headline: '1 doubt about what is archived',
  open: true,
};
const UNSETTLED: Told = {
  kind: 'unsettled',
  severity: 'note',
  count: 1,
  headline: '1 answer may still come or change',
  open: false,
};
const NEVER_SEEN: Told = {
  kind: 'never_seen',
  severity: 'note',
  count: 2,
  headline: 'the service lists no conversation of 2 users, and none is archived',
  open: false,
};
const ERASURES: Told = {
  kind: 'erasures',
  severity: 'note',
  count: 1,
  headline: 'the archive has 1 erasure (1 conversation), of 2026-11-05',
  open: false,
};

describe('how whole something is', () => {
  it.each<[string, Told[], string, string, boolean]>([
    ['nothing', [], 'complete', 'Complete', false],
    ['a note', [UNSETTLED], 'complete', 'Complete', false],
    [
      'an erasure of whom nobody knows',
      [ERASURES],
      'complete',
      'Complete, leaving aside what was erased: the archive has 1 erasure (1 conversation), of 2026-11-05',
      false,
    ],
    [
      'users of whom nobody knows whether their ids are right',
      [NEVER_SEEN],
      'complete',
      'Complete, if the ids are right: the service lists no conversation of 2 users, and none is archived',
      false,
    ],
    [
      'a doubt',
      [IN_PART],
      'not-proven',
      'Not proven complete: 1 table was searched only in its first 16 KB',
      false,
    ],
    [
      'a doubt that is open',
      [DOUBTED],
      'not-proven',
      'Not proven complete: 1 doubt about what is archived',
      true,
    ],
    ['what is missing', [GAPS], 'incomplete', 'Not complete: 2 gaps', true],
    [
      'what is missing by decision',
      [ACCEPTED],
      'incomplete-by-decision',
      'Not complete, by decision: 1 accepted gap',
      false,
    ],
    [
      'what is withheld by decision, which is said once',
      [{ ...ACCEPTED, headline: '3 questions are withheld by decision' }],
      'incomplete-by-decision',
      'Not complete, by decision: 3 questions are withheld',
      false,
    ],
    [
      'what is erased, before what else is missing',
      [GAPS, ACCEPTED, ERASED],
      'incomplete',
      'Not complete: 1 of 8 conversations was erased; 2 gaps; 1 accepted gap',
      true,
    ],
    [
      'what is missing by decision, and then what is in doubt',
      [ERASED, IN_PART, ERASURES],
      'incomplete-by-decision',
      'Not complete, by decision: 1 of 8 conversations was erased; in doubt: 1 table was searched only in its first 16 KB',
      false,
    ],
    [
      'what is missing, and then what is in doubt',
      [GAPS, DOUBTED, IN_PART],
      'incomplete',
      'Not complete: 2 gaps; in doubt: 1 doubt about what is archived; 1 table was searched only in its first 16 KB',
      true,
    ],
    [
      'what is missing by decision, and a doubt on which nobody has decided',
      [ACCEPTED, DOUBTED],
      'incomplete',
      'Not complete: 1 accepted gap; in doubt: 1 doubt about what is archived',
      true,
    ],
  ])('is told of %s', (_, caveats, completeness, headline, isOpen) => {
    expect(completenessOf(caveats)).toBe(completeness);
    expect(headlineOf(caveats)).toBe(headline);
    expect(isIncomplete(caveats)).toBe(isOpen);
  });
});

it('where nobody is named, nobody is counted as one more', () => {
  const caveat = { kind: 'gap', named: [], unnamed: 2 } as const;
  expect(namesIn(caveat, 3)).toEqual(['2 not named here']);
  const where = { gap: 'gaps.csv' };
  expect(namesIn(caveat, 3, where)).toEqual(['2 not named here, which gaps.csv names']);
  expect(namesIn({ ...caveat, named: ['ada'] }, 3, where)).toEqual([
    'ada',
    'and 2 more, which gaps.csv names',
  ]);
});
