/** What status says of the newest worker of a fleet. */
import { expect, it } from 'vitest';
import { lastWorkerText } from '../../../../../src/cli/output/reports/status/fleet.js';
import type { ArchiveStatus } from '../../../../../src/completeness/archive-status.js';

it('the users of the last worker add up', () => {
  const last = { ended: '2026-03-12T02:00:00.000Z', users: 8, complete: 6 };
  const status = { last_worker: { ...last, incomplete_by_decision: 1 }, last_export: null };
  expect(lastWorkerText(status as ArchiveStatus)).toContain(
    '8 users read, 6 of them complete, 1 not complete, by decision, 1 with gaps; jobvault',
  );
});
