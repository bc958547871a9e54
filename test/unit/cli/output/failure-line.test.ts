import { expect, it } from 'vitest';
import { FailureLine } from '../../../../src/cli/output/failure-line.js';
import { AFTER_GAPS, AFTER_REFUSAL } from '../../../../src/cli/output/next-step.js';
import { jsonLine } from '../../../../src/cli/json-line.js';
import { testTerminal } from '../../../support/test-terminal.js';

/** The line of a command that printed this, and threw nothing. */
function lineOf(summary: object, exitCode: number): Record<string, unknown> {
  const terminal = testTerminal();
  const line = new FailureLine(terminal, () => true);
  line.terminal.stdout.write(jsonLine(summary));
  line.tell({ exitCode, error: undefined, secrets: [] }, true);
  return JSON.parse(terminal.told.stdout) as Record<string, unknown>;
}

it.each([
  ['an export', { status: 'gaps', gaps: [{}] }],
  ['a worker', { users: { complete: 1, gaps: 2 } }],
  ['a report', { users: 3, gaps: 1 }],
])('after gaps, the line of %s says how to try again what is missing', (_, summary) => {
  expect(lineOf(summary, 3)).toMatchObject({ ...summary, exit_code: 3, next: AFTER_GAPS });
});

it('where there is no gap, exit code 3 has another cause, and no such advice', () => {
  expect(lineOf({ status: 'complete', gaps: [] }, 3)).not.toHaveProperty('next');
  expect(lineOf({ usable: false }, 3)).not.toHaveProperty('next');
});

it('what was refused says what to do about it', () => {
  expect(lineOf({ status: 'refused' }, 7)).toMatchObject({ exit_code: 7, next: AFTER_REFUSAL });
  expect(lineOf({ status: 'declined' }, 7)).not.toHaveProperty('next');
});
