/** Formats a fleet for people: queue, workers, runs. */
import { asConfigured, step } from '../../../base/next-step.js';
import { formatDuration } from '../../../base/units.js';
import type { Enqueued } from '../../../fleet/enqueue-run.js';
import type { FleetRun, RunSummary } from '../../../fleet/run-summary.js';
import type { FleetOfArchive, FleetStatus } from '../../../fleet/fleet-status.js';
import type { WorkerSummary } from '../../../fleet/worker-options.js';
import type { WorkerNote } from '../../../fleet/worker-notes.js';
import { gapCountTexts, isAnyOpen } from '../../../model/gap-counts.js';
import { clauses } from '../../../base/text/clauses.js';
import { counted } from '../../../base/text/counted.js';
import { versionsOfQuestions } from '../../../model/question-versions.js';
import { placeText } from '../texts/place-text.js';
import type { Text } from '../aligned.js';
import { secondText } from '../texts/time-text.js';
import { suppressedText } from '../texts/archive-texts.js';
import { atTheCapStep, neverSeenText, vanishedText } from '../texts/user-texts.js';
import { LAP_OVERDUE } from '../texts/lap-texts.js';
import { AFTER_FLEET_GAPS } from '../next-step.js';
import type { View } from '../view.js';
import { decidedText } from './run-line.js';

const LISTED_GAPS = 10;

export function enqueuedView({ run, archive, queue, users, added }: Enqueued): View {
  const known = users === added ? '' : `, ${users - added} already queued`;
  return {
    headline: `Run ${run}: ${counted(added, 'user')} put into the queue${known}, for ${archive}`,
    lines: [`Queue ${queue}`],
  };
}

export function runView(summary: RunSummary): View {
  const { users, never_seen: neverSeen, vanished, sessions, jobs, gap_counts: counts } = summary;
  const { gaps, budget, at_the_cap: capped = [] } = summary;
  const count = counts.gaps + counts.doubts;
  const open = gapCountTexts({ ...counts, accepted_gaps: 0, accepted_doubts: 0 });
  const accepted = gapCountTexts({ ...counts, gaps: 0, doubts: 0 });
  const hasGaps = isAnyOpen(counts);
  const head =
    HEADS[summary.status] + (summary.status === 'not_all_read' && hasGaps ? ', with gaps' : '');
  const tookMs = Date.parse(summary.finished_at) - Date.parse(summary.enqueued_at);
  return {
    headline: `${head}: run ${summary.run}, ${versionsOfQuestions(jobs.archived)} archived in ${summary.archive}`,
    facts: [
      ['users', `${users.total}: ${usersText(users)}`],
      ['skipped', suppressedText({ users: users.suppressed ?? 0 })],
      ['never seen', neverSeenText(neverSeen)],
      ['vanished', vanishedText(vanished)],
      ['at the cap', atTheCapStep(capped.length, capped)],
      [
        'sessions',
        `${sessions.listed} listed: ${sessions.new} new, ${sessions.changed} changed, ` +
          `${sessions.unchanged} unchanged, ${sessions.failed} failed`,
      ],
      ['listed twice', twiceText(summary.listed_twice ?? 0)],
      ['budget', budget && budgetText(budget)],
      ['time', formatDuration(tookMs)],
      ['accepted', accepted.length === 0 ? null : accepted.join(', ')],
      ['gaps', count === 0 ? 'none' : `${open.join(', ')}:`],
    ],
    lists: [{ items: gaps.slice(0, LISTED_GAPS).map(gapItem) }],
    lines: count > LISTED_GAPS ? [`and ${count - LISTED_GAPS} more, in the archive's log`] : [],
    next: hasGaps ? AFTER_FLEET_GAPS : undefined,
  };
}

const HEADS: Readonly<Record<RunSummary['status'], string>> = {
  complete: 'Complete',
  'incomplete-by-decision': 'Not complete, by decision',
  not_all_read: 'Stopped by its budget',
  gaps: 'Finished with gaps',
};

function gapItem({ user, session, status, reason }: RunSummary['gaps'][number]): string {
  return `${placeText({ user, session })}: ${status}: ${reason}`;
}

function twiceText(sessions: number): string | null {
  if (sessions === 0) return null;
  return `${counted(sessions, 'conversation')} under two spellings of a user: counted here under each`;
}

function budgetText({ requests, checked, left, overdue }: NonNullable<RunSummary['budget']>) {
  return clauses(
    ', ',
    `${requests} requests: ${counted(checked, 'conversation')} checked`,
    `${left.sessions} left`,
    overdue && LAP_OVERDUE,
  );
}

export function workerView(summary: WorkerSummary): View {
  const { users, jobs, requests, finished, gap_counts: counts } = summary;
  const { at_the_cap: capped = [] } = summary;
  const head = {
    idle: 'Idle',
    lost: 'The queue has lost users',
    interrupted: 'Interrupted',
    failed: 'Failed',
  }[summary.status];
  return {
    headline: `${head}: ${versionsOfQuestions(jobs.archived)} archived`,
    facts: [
      [
        'users',
        clauses(
          ', ',
          `${users.complete} complete`,
          ...decidedText(users.incomplete_by_decision),
          `${users.with_gaps} with gaps, ${users.failed} failed, ${users.left} left`,
          `${users.again} to be retried, ${users.returned} returned`,
        ),
      ],
      [
        'vanished',
        users.vanished === 0
          ? null
          : `${counted(users.vanished, 'user')} of whom the service lists nothing any more; what is archived stays`,
      ],
      ['at the cap', atTheCapStep(capped.length, capped)],
      ['lost', lostText(summary.lost)],
      ['runs', `${finished} finished`],
      ['requests', `${requests.api} to the service, ${requests.rate_limited} rate limited`],
      ['time', formatDuration(summary.duration_ms)],
    ],
    next: isAnyOpen(counts) ? AFTER_FLEET_GAPS : undefined,
  };
}

function lostText({ runs, users }: WorkerSummary['lost']): Text | null {
  if (runs === 0) return null;
  return step`${counted(users, 'user')} of ${counted(runs, 'run')}: ${asConfigured('enqueue', '--resume')} puts them back`;
}

/** @param redis the URL without its password */
export function fleetsView(redis: string, fleets: readonly FleetStatus[]): View {
  return fleets.length === 0
    ? { headline: `${redis}: no queue` }
    : { sections: fleets.map(fleetView) };
}

export function fleetOfArchiveView({ lost, ...fleet }: FleetOfArchive): View {
  const { sections = [], ...view } = fleetView(fleet);
  const lines = lost.map(
    ({ run, users, lost: count }) =>
      step`The queue has lost the run ${run}: ${count} of ${counted(users, 'user')} are neither archived nor on it. ${asConfigured('enqueue', '--resume', run)} puts them back.`,
  );
  return { ...view, sections: [...sections, { lines }] };
}

function fleetView({ redis, queue, archives, users, workers, runs }: FleetStatus): View {
  return {
    headline: `${redis}, queue ${queue}`,
    facts: [
      ['archive', archives.length === 0 ? null : archives.join(', ')],
      [
        'users',
        `${users.waiting} waiting, ${users.active} being exported, ` +
          `${users.delayed} to be retried, ${users.failed} failed`,
      ],
      ['workers', workers.length === 0 ? 'none' : String(workers.length)],
    ],
    sections: [
      ...(workers.length === 0 ? [] : [{ headline: 'Workers', facts: workers.map(workerLine) }]),
      ...(runs.length === 0 ? [] : [{ headline: 'Last runs', facts: runs.map(runLine) }]),
    ],
  };
}

function workerLine({ host, pid, state, run, claimed, done, since }: WorkerNote) {
  const work = run === null ? state : `${state}, run ${run}`;
  const text = `${work}: ${counted(claimed, 'user')} claimed, ${done} done since ${secondText(since)}`;
  return [`${host} ${pid}`, text] as const;
}

function runLine({ run, state, users, summary, error }: FleetRun) {
  if (summary) {
    const total = counted(summary.users.total, 'user');
    return [run, `finished: ${total}: ${usersText(summary.users)}; ${gapsText(summary)}`] as const;
  }
  const reason = error === null ? '' : `: ${error}`;
  return [run, `${state}: ${users.done} users done, ${users.left} left${reason}`] as const;
}

function usersText(users: RunSummary['users']): string {
  return clauses(
    ', ',
    `${users.complete} complete`,
    ...decidedText(users.incomplete_by_decision),
    `${users.with_gaps} with gaps, ${users.failed} failed`,
    users.left > 0 && `${users.left} left to a later run`,
  );
}

function gapsText({ gap_counts: counts }: RunSummary): string {
  return gapCountTexts(counts).join(', ') || 'no gaps';
}
