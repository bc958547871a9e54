import { NO_PLACE } from '../../../../src/base/next-step.js';
import { expect, it } from 'vitest';
import { printResult } from '../../../../src/cli/output/print-result.js';
import {
  AFTER_DAMAGE,
  AFTER_GAPS,
  AFTER_REFUSAL,
  afterRepair,
  ARCHIVE_IS_BEHIND,
} from '../../../../src/cli/output/next-step.js';
import { testTerminal } from '../../../support/programs/test-terminal.js';

/** The line of a command that left this, and threw nothing. */
function lineOf(summary: object, exitCode: number): Record<string, unknown> {
  const terminal = testTerminal();
  const ending = { answer: '', exitCode, error: undefined, isJson: true, hasPrinted: false };
  printResult(
    { result: { value: summary }, ...ending },
    { terminal, secrets: [], place: NO_PLACE },
  );
  return JSON.parse(terminal.told.stdout) as Record<string, unknown>;
}

it.each([
  ['an export', { status: 'gaps', gaps: [{}] }],
  ['a worker', { users: { complete: 1, with_gaps: 2 } }],
  ['a report', { users: 3, gaps: 1 }],
])('after gaps, the line of %s says how to try again what is missing', (_, summary) => {
  expect(lineOf(summary, 3)).toMatchObject({ ...summary, exit_code: 3, next: AFTER_GAPS.text() });
});

it('where there is no gap, exit code 3 has another cause, and no such advice', () => {
  expect(lineOf({ status: 'complete', gaps: [] }, 3)).not.toHaveProperty('next');
  expect(lineOf({ usable: false }, 3)).not.toHaveProperty('next');
});

it('after verify, the line says what to do about damage, and about an archive that is behind', () => {
  expect(lineOf({ status: 'damaged' }, 4)).toMatchObject({
    exit_code: 4,
    next: AFTER_DAMAGE.text(),
  });
  const problems = [{ path: 'tables/jobs/a.parquet', problem: 'missing' }];
  const left = { status: 'damaged', repair: {}, problems };
  expect(lineOf(left, 4)).toMatchObject({ next: afterRepair(problems).text() });
  expect(lineOf({ status: 'intact', service: {} }, 3)).toMatchObject({ next: ARCHIVE_IS_BEHIND });
});

it('what was refused says what to do about it', () => {
  expect(lineOf({ status: 'refused' }, 7)).toMatchObject({
    exit_code: 7,
    next: AFTER_REFUSAL.text(),
  });
  expect(lineOf({ status: 'declined' }, 7)).toEqual({
    status: 'declined',
    exit_code: 7,
    error: 'the answer was no',
  });
});
