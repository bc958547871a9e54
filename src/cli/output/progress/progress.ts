/** Shows the progress of an export: a bar on a terminal, a log line every 30 seconds elsewhere. */
import { MultiBar, Presets } from 'cli-progress';
import type { Logger, LogFields } from '../../../base/logger.js';
import { systemClock } from '../../../base/runtime.js';
import type { ExportObserver } from '../../../export/export-run.js';
import { ExportMeter, type ExportState } from './export-meter.js';
import { terminalWidth, type Terminal, asBytes } from '../terminal.js';
import { formatDuration } from '../../../base/units.js';
import { cutTo } from '../table-text.js';

const LINE_INTERVAL_MS = 30_000;

export interface Progress {
  readonly observer: ExportObserver;
  /** Can be called more than once. */
  readonly stop: () => void;
  /** Shows nothing while a question is asked. */
  readonly pausedFor: <T>(work: () => Promise<T>) => Promise<T>;
}

/** What is shown while it runs. */
interface Display {
  readonly start: () => void;
  readonly stop: () => void;
}

/** @param users how many users the run processes */
export function startProgress(terminal: Terminal, logger: Logger, users: number): Progress {
  const meter = new ExportMeter(systemClock, users);
  const display =
    terminal.stderr.isTTY === true ? barDisplay(terminal, meter) : lineDisplay(logger, meter);
  display.start();
  return {
    observer: meter.observer,
    stop: display.stop,
    pausedFor: async (work) => {
      display.stop();
      try {
        return await work();
      } finally {
        display.start();
      }
    },
  };
}

function barDisplay(terminal: Terminal, meter: ExportMeter): Display {
  let bars: MultiBar | undefined;
  return {
    start: () => {
      bars = startBar(terminal, meter);
    },
    stop: () => {
      // a second stop would erase lines below the bar
      bars?.stop();
      bars = undefined;
    },
  };
}

function startBar({ stderr, environment }: Terminal, meter: ExportMeter): MultiBar {
  const bars = new MultiBar(
    {
      stream: asBytes(stderr) as NodeJS.WritableStream,
      clearOnComplete: true,
      // without it the terminal does not wrap, and cuts what is logged beside the bar
      linewrap: true,
      // a log line takes the place of the bar
      forceRedraw: true,
      hideCursor: !environment['NO_COLOR'],
      // called ten times a second
      format: () => progressText(meter.state(), terminalWidth(stderr) ?? 80),
    },
    Presets.shades_classic,
  );
  bars.create(1, 0);
  return bars;
}

function lineDisplay(logger: Logger, meter: ExportMeter): Display {
  let timer: NodeJS.Timeout | undefined;
  return {
    start: () => {
      timer = setInterval(() => {
        logger.info(progressFields(meter.state()), 'exporting');
      }, LINE_INTERVAL_MS);
      timer.unref();
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}

/** Formats the progress of an export: one line on a terminal, fields in a log. */

const BAR_WIDTH = 20;

/** As many parts as fit, the most important first. */
export function progressText(state: ExportState, columns: number): string {
  const { sessions, sessionsListed, jobs, users, usersTotal, sessionsPerSecond, leftMs } = state;
  const done = `${sessions} of ${sessionsListed} sessions`;
  // the last column stays empty: some terminals wrap there
  const room = columns - 1;
  const bar = barOf(state.share, Math.min(BAR_WIDTH, room - done.length - 1));
  const parts = [
    bar === '' ? cutTo(done, room) : `${bar} ${done}`,
    `${jobs} jobs`,
    `${users} of ${usersTotal} users`,
    ...(leftMs === undefined ? [] : [`about ${leftText(leftMs)} left`]),
    ...(sessionsPerSecond === undefined ? [] : [`${speedOf(sessionsPerSecond)} sessions/s`]),
  ];
  let line = parts[0] ?? '';
  for (const part of parts.slice(1)) {
    const longer = `${line} · ${part}`;
    if (longer.length > room) break;
    line = longer;
  }
  return line;
}

export function progressFields(state: ExportState): LogFields {
  const { sessionsPerSecond: speed, leftMs } = state;
  return {
    users: state.users,
    usersTotal: state.usersTotal,
    sessions: state.sessions,
    sessionsListed: state.sessionsListed,
    jobs: state.jobs,
    ...(speed === undefined ? {} : { sessionsPerSecond: Number(speedOf(speed)) }),
    ...(leftMs === undefined ? {} : { secondsLeft: Math.round(leftMs / 1000) }),
  };
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
