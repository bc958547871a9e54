/** Formats the progress of an export: one line on a terminal, fields in a log. */
import type { LogFields } from '../../../base/logger.js';
import { type ExportState } from './export-meter.js';
import { formatDuration } from '../../../base/units.js';
import { cutTo } from '../text-width.js';

const BAR_WIDTH = 20;

/** As many parts as fit, the most important first. */
export function progressText(state: ExportState, columns: number): string {
  const { sessions, sessionsListed, jobs, users, usersTotal, sessionsPerSecond, leftMs } = state;
  const done = `${sessions} of ${sessionsListed} conversations`;
  // the last column stays empty: some terminals wrap there
  const room = columns - 1;
  const bar = barOf(state.share, Math.min(BAR_WIDTH, room - done.length - 1));
  const parts = [
    bar === '' ? cutTo(done, room) : `${bar} ${done}`,
    ...(leftMs === undefined ? [] : [`about ${leftText(leftMs)} left`]),
    `${jobs} questions`,
    `${users} of ${usersTotal} users`,
    ...(sessionsPerSecond === undefined ? [] : [`${speedOf(sessionsPerSecond)} conversations/s`]),
  ];
  let line = parts[0] ?? '';
  for (const part of parts.slice(1)) {
    const longer = `${line} · ${part}`;
    if (longer.length > room) break;
    line = longer;
  }
  return line;
}

/** @param nowMs by which the end is told as a time, to the minute */
export function progressFields(state: ExportState, nowMs: number): LogFields {
  const { sessionsPerSecond: speed, leftMs } = state;
  return {
    users: state.users,
    usersTotal: state.usersTotal,
    sessions: state.sessions,
    sessionsListed: state.sessionsListed,
    jobs: state.jobs,
    ...(speed === undefined ? {} : { sessionsPerSecond: Number(speedOf(speed)) }),
    ...(leftMs === undefined
      ? {}
      : { secondsLeft: Math.round(leftMs / 1000), endsAbout: minuteAt(nowMs + leftMs) }),
  };
}

function minuteAt(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16)}Z`;
}

/** Empty where there is no room. */
function barOf(share: number, width: number): string {
  if (width <= 0) return '';
  const filled = Math.round(Math.min(1, share) * width);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

function speedOf(perSecond: number): string {
  return perSecond < 10 ? perSecond.toFixed(1) : perSecond.toFixed(0);
}

/** Rounded: an estimate to the second would look exact. */
function leftText(ms: number): string {
  const seconds = Math.max(5, Math.ceil(ms / 5_000) * 5);
  return seconds < 60 ? `${seconds} s` : formatDuration(Math.ceil(ms / 10_000) * 10_000);
}
