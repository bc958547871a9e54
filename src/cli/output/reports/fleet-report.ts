/** Formats a fleet for people: queue, workers, runs. */
import { asConfigured, type CommandPlace, commandText } from '../../../base/next-step.js';
import { formatDuration } from '../../../base/units.js';
import type { Enqueued } from '../../../fleet/enqueue-run.js';
import type { FleetRun, RunSummary } from '../../../fleet/run-summary.js';
import type { FleetOfArchive, FleetStatus } from '../../../fleet/fleet-status.js';
import type { WorkerSummary } from '../../../fleet/worker-options.js';
import type { WorkerNote } from '../../../fleet/worker-notes.js';
import { gapCountTexts } from '../../../model/gap-counts.js';
import { counted } from '../../../base/text/counted.js';
import { aligned, placeText } from '../aligned.js';
import { visible } from '../visible.js';
import { suppressedText, vanishedText } from '../archive-texts.js';
import { AFTER_FLEET_GAPS } from '../next-step.js';

const LISTED_GAPS = 10;
const LISTED_USERS = 5;

export function enqueuedText({ run, archive, queue, users, added }: Enqueued): string {
  const known = users === added ? '' : `, ${users - added} already queued`;
  return visible(
    `Run ${run}: ${counted(added, 'user')} put into the queue${known}, for ${archive}\nQueue ${queue}\n`,
  );
}

export function runText(summary: RunSummary, place: CommandPlace): string {
  const { users, never_seen: neverSeen, vanished, sessions, jobs, gap_counts: counts } = summary;
  const { gaps, budget } = summary;
  const count = counts.gaps + counts.doubts;
  const open = gapCountTexts({ ...counts, accepted_gaps: 0, accepted_doubts: 0 });
  const accepted = gapCountTexts({ ...counts, gaps: 0, doubts: 0 });
  const head = summary.status === 'complete' ? 'Complete' : 'Finished with gaps';
  const tookMs = Date.parse(summary.finished_at) - Date.parse(summary.enqueued_at);
  return visible(
    [
      `${head}: run ${summary.run}, ${counted(jobs.archived, 'question')} archived in ${summary.archive}\n`,
      aligned([
        [
          'users',
          `${users.total}: ${users.complete} complete, ${users.with_gaps} with gaps, ${users.failed} failed` +
            (users.left === 0 ? '' : `, ${users.left} left to a later run`),
        ],
        ['skipped', suppressedText({ users: users.suppressed ?? 0 })],
        [
          'never seen',
          neverSeen.length === 0
            ? null
            : `no conversation yet of ${listedUsers(neverSeen)}; is the id right?`,
        ],
        ['vanished', vanishedText(vanished)],
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
      ]),
      ...gaps
        .slice(0, LISTED_GAPS)
        .map(
          ({ user, session, status, reason }) =>
            `    ${placeText({ user, session })}: ${status}: ${reason}\n`,
        ),
      ...(count > LISTED_GAPS
        ? [`    … and ${count - LISTED_GAPS} more, in the archive's log\n`]
        : []),
      ...(summary.status === 'gaps' ? [`Next: ${AFTER_FLEET_GAPS.text(place)}\n`] : []),
    ].join(''),
  );
}

function twiceText(sessions: number): string | null {
  if (sessions === 0) return null;
  return `${counted(sessions, 'conversation')} under two spellings of a user: counted here under each`;
}

function budgetText({ requests, checked, left, overdue }: NonNullable<RunSummary['budget']>) {
  return (
    `${requests} requests: ${counted(checked, 'conversation')} checked, ${left.sessions} left` +
    (overdue ? ', the lap takes longer than --max-staleness' : '')
  );
}

function listedUsers(users: readonly string[]): string {
  const named = users.slice(0, LISTED_USERS).join(', ');
  return users.length > LISTED_USERS ? `${named} and ${users.length - LISTED_USERS} more` : named;
}

export function workerText(summary: WorkerSummary, place: CommandPlace): string {
  const { users, jobs, requests, finished, gap_counts: counts } = summary;
  const head = {
    idle: 'Idle',
    lost: 'The queue has lost users',
    interrupted: 'Interrupted',
    failed: 'Failed',
  }[summary.status];
  return [
    `${head}: ${counted(jobs.archived, 'question')} archived\n`,
    aligned([
      [
        'users',
        `${users.complete} complete, ${users.with_gaps} with gaps, ${users.failed} failed, ${users.left} left, ` +
          `${users.again} to be retried, ${users.returned} returned`,
      ],
      [
        'vanished',
        users.vanished === 0
          ? null
          : `${counted(users.vanished, 'user')} of whom the service lists nothing any more; what is archived stays`,
      ],
      ['lost', lostText(summary.lost, place)],
      ['runs', `${finished} finished`],
      ['requests', `${requests.api} to the service, ${requests.rate_limited} rate limited`],
      ['time', formatDuration(summary.duration_ms)],
    ]),
    counts.gaps + counts.doubts > 0 ? `Next: ${AFTER_FLEET_GAPS.text(place)}\n` : '',
  ].join('');
}

function lostText({ runs, users }: WorkerSummary['lost'], place: CommandPlace): string | null {
  if (runs === 0) return null;
  return `${counted(users, 'user')} of ${counted(runs, 'run')}: ${commandText(asConfigured('enqueue', '--resume'), place)} puts them back`;
}

/** @param redis the URL without its password */
export function fleetsText(redis: string, fleets: readonly FleetStatus[]): string {
  if (fleets.length === 0) return visible(`${redis}: no queue\n`);
  return fleets.map(fleetText).join('\n');
}

export function fleetOfArchiveText({ lost, ...fleet }: FleetOfArchive): string {
  const lines = lost.map(
    ({ run, users, lost: count }) =>
      `The queue has lost the run ${run}: ${count} of ${counted(users, 'user')} are neither archived nor on it.\n` +
      `Next: jobvault enqueue --resume ${run}\n`,
  );
  return fleetText(fleet) + visible(lines.join(''));
}

function fleetText({ redis, queue, archives, users, workers, runs }: FleetStatus): string {
  return visible(
    [
      `${redis}, queue ${queue}\n`,
      aligned([
        ['archive', archives.length === 0 ? null : archives.join(', ')],
        [
          'users',
          `${users.waiting} waiting, ${users.active} being exported, ` +
            `${users.delayed} to be retried, ${users.failed} failed`,
        ],
        ['workers', workers.length === 0 ? 'none' : String(workers.length)],
      ]),
      ...(workers.length === 0 ? [] : ['\nWorkers\n', aligned(workers.map(workerLine))]),
      ...(runs.length === 0 ? [] : ['\nLast runs\n', aligned(runs.map(runLine))]),
    ].join(''),
  );
}

function workerLine({ host, pid, state, run, claimed, done, since }: WorkerNote) {
  const work = run === null ? state : `${state}, run ${run}`;
  const text = `${work}: ${counted(claimed, 'user')} claimed, ${done} done since ${since.slice(0, 19)}Z`;
  return [`${host} ${pid}`, text] as const;
}

function runLine({ run, state, users, summary, error }: FleetRun) {
  if (summary) {
    const { complete, with_gaps: withGaps, failed } = summary.users;
    const users = counted(complete, 'user');
    return [
      run,
      `finished: ${users} complete, ${withGaps} with gaps, ${failed} failed; ${gapsText(summary)}`,
    ] as const;
  }
  const reason = error === null ? '' : `: ${error}`;
  return [run, `${state}: ${users.done} users done, ${users.left} left${reason}`] as const;
}

function gapsText({ gap_counts: counts }: RunSummary): string {
  return gapCountTexts(counts).join(', ') || 'no gaps';
}
