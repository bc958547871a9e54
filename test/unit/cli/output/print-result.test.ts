import { NO_PLACE, onArchive, step } from '../../../../src/base/next-step.js';
import { expect, it } from 'vitest';
import { printResult } from '../../../../src/cli/output/print-result.js';
import type { View } from '../../../../src/cli/output/view.js';
import { testTerminal } from '../../../support/programs/test-terminal.js';

const CAVEAT = {
  kind: 'gap',
  severity: 'missing',
  count: 1,
  total: null,
  headline: '1 gap',
  why: null,
  named: [],
  unnamed: 0,
} as const;

/** The line of a command that left this, and threw nothing. */
function lineOf(summary: object, exitCode: number, view: View = {}): Record<string, unknown> {
  const terminal = testTerminal();
  const ending = { answer: '', exitCode, error: undefined, isJson: true, hasPrinted: false };
  printResult(
    { result: { value: summary, view }, ...ending },
    { terminal, secrets: [], place: NO_PLACE },
  );
  return JSON.parse(terminal.told.stdout) as Record<string, unknown>;
}

const AGAIN = step`${onArchive('verify')} says more`;

it.each([
  ['what the answer proposes', { next: AGAIN }, 'jobvault verify ARCHIVE says more'],
  [
    'what a caveat that is open proposes',
    { caveats: [{ ...CAVEAT, next: AGAIN, open: true }] },
    'jobvault verify ARCHIVE says more.',
  ],
  ['what a section of it proposes', { sections: [{}, { next: AGAIN }] }, AGAIN.text()],
])('a line of JSON of what failed has as next step %s', (_, view, next) => {
  expect(lineOf({ gaps: 1 }, 3, view)).toMatchObject({ gaps: 1, exit_code: 3, next });
  expect(lineOf({ gaps: 1 }, 0, view)).toEqual({ gaps: 1 });
});

it('where the answer proposes nothing, the line of JSON has no advice', () => {
  const caveats = [{ ...CAVEAT, next: AGAIN, open: false }];
  expect(lineOf({ status: 'complete', gaps: [] }, 3, { caveats })).not.toHaveProperty('next');
});

it('a no is told as one', () => {
  expect(lineOf({ status: 'declined' }, 7)).toEqual({
    status: 'declined',
    exit_code: 7,
    error: 'the answer was no',
  });
});
