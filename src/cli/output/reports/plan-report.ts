import type { ExportPlan } from '../../../export/plan-export.js';
import { aligned } from '../aligned.js';
import { neverSeenText } from '../archive-texts.js';

/** Formats the result of a dry run for people. */
export function planReport(plan: ExportPlan): string {
  const { users, sessions, jobs, failed, budget, never_seen: neverSeen } = plan;
  return (
    'Dry run: nothing was written\n' +
    aligned([
      ['users', `${users} requested, ${failed} failed`],
      [
        'never seen',
        neverSeen.length > 0 ? `${neverSeen.length}, ${neverSeenText(neverSeen)}` : null,
      ],
      ['sessions', `${sessions.listed} listed, ${sessions.archived} of them in the archive`],
      ['jobs', `${jobs.announced} announced, ${jobs.archived} in the archive`],
      ['budget', budget ? budgetOf(budget) : null],
    ])
  );
}

function budgetOf({ checks, left }: NonNullable<ExportPlan['budget']>): string {
  return `${checks} sessions would be checked, ${left.sessions} and ${left.users} users left for later`;
}
