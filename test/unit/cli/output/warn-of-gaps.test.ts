import { NO_PLACE } from '../../../../src/base/next-step.js';
import { expect, it } from 'vitest';
import { type LogFields, silentLogger } from '../../../../src/base/logger.js';
import { warnOfGaps } from '../../../../src/cli/output/warn-of-gaps.js';
import type { Gap } from '../../../../src/export/jobs/gap.js';
import { emptyPruneSummary, type PrunedSession } from '../../../../src/prune/prune-summary.js';

const PLACE = { ...NO_PLACE, archive: '/archive' };

const gap = (more: Partial<Gap> = {}): Gap => ({
  ...{ user: 'ann', session: 's1', job: 'j1', role: 'answer', block_index: 0, file_index: 0 },
  ...{ kind: 'TABLE', status: 'missing', reason: 'gone' },
  ...more,
});

const known = { known: true } as const;
const accepted = { accepted: true } as const;

function warned(
  gaps: readonly Gap[],
  refused: readonly PrunedSession['reason'][] = [],
  detail: string | null = null,
) {
  const lines: { fields: LogFields; message: string }[] = [];
  const logger = {
    ...silentLogger,
    warn: (fields: LogFields, message: string) => void lines.push({ fields, message }),
  };
  const sessions = refused.map((reason, at): PrunedSession => ({
    ...{
      user: 'ann',
      session: `s${at + 1}`,
      jobs: 1,
      name: null,
      newest_job_at: null,
      changed_at: null,
    },
    ...{ commit: 1, outcome: 'refused', reason, detail },
  }));
  const pruned = { ...emptyPruneSummary('./archive', 'run'), sessions };
  warnOfGaps(logger, { place: PLACE, gaps: [...gaps] }, pruned);
  return lines;
}

it.each<[string, Gap[], string]>([
  [
    'new gaps and old ones',
    [gap(known), gap({ job: 'j2' }), gap({ job: 'j3' })],
    '2 new gaps, 1 gap that was told before. First new: user ann, session s1, job j2: missing. Next: jobvault status /archive --user ann',
  ],
  [
    'only old ones',
    [gap(known)],
    'no new gap, 1 gap that was told before. First: user ann, session s1, job j1: missing. Next: jobvault status /archive --user ann',
  ],
  [
    'doubts beside accepted gaps',
    [gap({ job: null, status: 'doubtful' }), gap(accepted)],
    '1 new doubt; 1 accepted gap. First new: user ann, session s1: doubtful. Next: jobvault status /archive --user ann',
  ],
  [
    'gaps of several users',
    [gap(), gap({ user: 'ben' })],
    '2 new gaps. First new: user ann, session s1, job j1: missing. Next: jobvault gap list /archive',
  ],
])('the warning at the end of a run tells %s', (_what, gaps, message) => {
  expect(warned(gaps).map((line) => line.message)).toEqual([message]);
});

it('the warning at the end of a run tells how many users a run did not reach', () => {
  const messages: string[] = [];
  const warn = (_fields: LogFields, message: string) => void messages.push(message);
  const users = { total: 300, not_finished: 288 };
  warnOfGaps({ ...silentLogger, warn }, { place: PLACE, gaps: [], users });
  expect(messages).toEqual(['288 of 300 users not finished']);
});

it("the warning counts gaps that a fleet's summary does not list, the new ones apart", () => {
  const messages: string[] = [];
  const warn = (_fields: LogFields, message: string) => void messages.push(message);
  const place = { ...PLACE, options: ['--config', 'store.yaml'] };
  const counts = { gaps: 21, new_gaps: 2, doubts: 1, new_doubts: 0 };
  const accepted = { accepted_gaps: 3, accepted_doubts: 1 };
  const all = { ...counts, ...accepted };
  const summary = { place, gaps: [gap()], gap_counts: all };
  warnOfGaps({ ...silentLogger, warn }, summary);
  expect(messages).toEqual([
    expect.stringMatching(
      /^2 new gaps, 19 gaps that were told before; no new doubt, 1 doubt that was told before; 3 accepted gaps; 1 accepted doubt\. First new: .*\. Next: jobvault gap list \/archive --config store\.yaml$/,
    ),
  ]);
});

it('the warning tells refused deletions with their reasons, and of the first why', () => {
  expect(warned([], ['hold', 'grown', 'hold'], 'is on hold: case 7')).toEqual([
    {
      fields: { gaps: 0, new: 0, accepted: 0, refused: 3 },
      message:
        '3 deletions refused (hold 2, grown 1). First refused: user ann, session s1: is on hold: case 7',
    },
  ]);
});

it('the warning tells the first refused deletion by its reason where nothing more is known', () => {
  expect(warned([], ['grown'])[0]?.message).toBe(
    '1 deletion refused (grown 1). First refused: user ann, session s1: grown',
  );
});

it('the warning names damage first among refused deletions, and what mends it', () => {
  expect(warned([], ['grown', 'damaged'])[0]?.message).toBe(
    '2 deletions refused (grown 1, damaged 1). First refused: user ann, session s2: damaged. Next: jobvault verify /archive --repair',
  );
});

it('the warning at the end of a run tells new gaps, and then the first refused deletion', () => {
  expect(warned([gap()], ['gap'], 'a gap in its history')[0]?.message).toBe(
    '1 new gap; 1 deletion refused (gap 1). First new: user ann, session s1, job j1: missing. First refused: user ann, session s1: a gap in its history. Next: jobvault status /archive --user ann',
  );
});

it('the warning is not there where nothing is missing, or only what was accepted', () => {
  expect([...warned([]), ...warned([gap(accepted)])]).toEqual([]);
});
