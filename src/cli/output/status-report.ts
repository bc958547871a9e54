/** What an archive holds, for people. */
import type { ArchiveStatus } from '../../archive/state/archive-status.js';
import type { LookStatus } from '../../archive/state/look-status.js';
import type { RunStatus } from '../../archive/state/run-history.js';
import type { SessionStatus, UserStatus } from '../../archive/state/user-status.js';
import { formatByteSize } from '../../base/byte-size.js';
import { formatDuration } from '../../base/duration.js';
import { aligned, counted } from './aligned.js';
import { filePlaceText } from './gaps-text.js';
import { foreignLine } from '../foreign-line.js';
import { visible } from './visible.js';

export interface UserDetail extends UserStatus {
  readonly detail: readonly SessionStatus[];
}

const NOT_GUARANTEED = `
What this does not prove
  The files, and the states that these counts come from: verify compares both with the log. That
  nothing is new on the service: the next export looks.
  Between the last look at a session and its DELETE there is a moment that nobody can close: the
  service has no way to delete only what has not changed. A question asked in that moment is lost.
`;

export function statusText(status: ArchiveStatus): string {
  const { location, service, formats, head, users, sessions, jobs, size, runs } = status;
  const project = service.project === null ? '' : `, project ${service.project}`;
  return visible(
    [
      `${location}\n`,
      aligned([
        ['service', `${service.base_url}${project}`],
        ['formats', formats.join(', ')],
        ['newest commit', head ? `${head.number}:${head.digest}` : 'none'],
        ['size', sizeOf(size)],
        ['users', usersOf(users)],
        ['sessions', sessionsOf(sessions)],
        ['jobs', jobsOf(jobs)],
        ['gaps', gapsOf(status.gaps)],
        ...foreignLine(status.foreign),
        ['stalest session', stalestOf(status.looks)],
        ['a full pass', fullPassOf(status.looks)],
      ]),
      ...(runs.length === 0 ? [] : ['\nLast runs\n', aligned(runs.map(runLine))]),
      NOT_GUARANTEED,
    ].join(''),
  );
}

export function userText({ user, complete, sessions, jobs, ...rest }: UserDetail): string {
  const { gaps, last_look: look, detail } = rest;
  return visible(
    [
      `${user}: ${complete ? 'complete' : 'not complete'}\n`,
      aligned([
        ['sessions', sessionsOf(sessions)],
        ['jobs', jobsOf(jobs)],
        ['gaps', gapsOf(gaps)],
        ['last look', lookOf(look)],
      ]),
      ...(detail.length === 0 ? [] : ['\n', aligned(detail.map(sessionLine))]),
      ...detail.flatMap(gapLines),
    ].join(''),
  );
}

function sizeOf({ files, artifacts, bytes }: ArchiveStatus['size']): string {
  return `${formatByteSize(bytes)} in ${counted(files, 'file')} and ${counted(artifacts, 'artifact')}`;
}

function usersOf({ total, complete, failed }: ArchiveStatus['users']): string {
  return `${total}: ${complete} complete, ${failed} whose last look failed`;
}

function sessionsOf({
  total,
  complete,
  incomplete,
  gone,
  deleted,
}: UserStatus['sessions']): string {
  return (
    `${total}: ${complete} complete, ${incomplete} incomplete, ` +
    `${gone} gone from the service, ${deleted} deleted from it`
  );
}

function jobsOf({ total, settled, unsettled }: UserStatus['jobs']): string {
  return `${total}: ${settled} settled, ${unsettled} that may still change`;
}

function gapsOf(gaps: UserStatus['gaps']): string {
  const told = Object.entries(gaps).map(([status, count]) => `${count} ${status}`);
  return told.length === 0 ? 'none' : told.join(', ');
}

function stalestOf({ stalest, unknown }: LookStatus): string {
  const rest = unknown === 0 ? [] : [`no look is noted of ${counted(unknown, 'session')}`];
  if (!stalest) return rest[0] ?? 'none';
  const { user, session, looked_at: lookedAt, listed_at: listedAt } = stalest;
  const since =
    lookedAt === null
      ? `listed ${listedAt.slice(0, 19)}Z, not looked at yet`
      : `last looked at ${lookedAt.slice(0, 19)}Z`;
  return [`${session} of ${user}, ${since}`, ...rest].join('; ');
}

function fullPassOf({ full_pass: { requests, duration_ms: ms } }: LookStatus): string {
  return `${counted(requests, 'request')}, ${formatDuration(ms)} at the rate given`;
}

function lookOf(look: UserStatus['last_look']): string {
  if (!look) return 'none came to the end';
  if (look.error !== null) return `failed: ${look.error}`;
  const announced = look.total_items === null ? 'an unknown number' : String(look.total_items);
  return `${look.listed} sessions listed, ${announced} announced, ${look.complete ? 'complete' : 'not complete'}`;
}

function runLine({ run, ended, commits, users, jobs, deletions, abandoned }: RunStatus) {
  const [first, last] = commits;
  const numbers = first === last ? `commit ${first}` : `commits ${first} to ${last}`;
  const told = [
    `${ended.slice(0, 19)}Z, ${numbers}: ${counted(users, 'user')}, ${counted(jobs, 'job')}`,
    ...(deletions > 0 ? [counted(deletions, 'deletion')] : []),
    ...(abandoned ? ['abandoned'] : []),
  ];
  return [run, told.join(', ')] as const;
}

function sessionLine({ session, state, jobs, gaps, gone_at: goneAt }: SessionStatus) {
  const told = [
    goneAt === null ? state : `${state}, not listed since ${goneAt.slice(0, 19)}Z`,
    counted(jobs.total, 'job'),
    ...(jobs.unsettled > 0 ? [`${jobs.unsettled} may still change`] : []),
    ...(gaps.length > 0 ? [counted(gaps.length, 'gap')] : []),
  ];
  return [session, told.join(', ')] as const;
}

function gapLines({ session, gaps }: SessionStatus): string[] {
  return gaps.map((gap) => {
    const { job, status, reason } = gap;
    const place = [
      `session ${session}`,
      ...(job === null ? [] : [`job ${job}`]),
      ...[filePlaceText(gap) ?? []].flat(),
    ];
    return `    ${place.join(', ')}: ${status}: ${reason}\n`;
  });
}
