/** Shows the progress of an export: a bar on a terminal, a log line every 30 seconds elsewhere. */
import { MultiBar, Presets } from 'cli-progress';
import type { Logger, LogFields, Tracer, SpanName } from '../../../base/logger.js';
import { systemClock, type Clock } from '../../../base/runtime.js';
import type { ExportObserver } from '../../../export/export-run.js';
import { ExportMeter, type ExportState } from './export-meter.js';
import { terminalWidth, type Terminal, asBytes } from '../terminal.js';
import { formatDuration } from '../../../base/units.js';
import { cutTo } from '../table-text.js';

const LINE_INTERVAL_MS = 30_000;

export interface Progress {
  readonly observer: ExportObserver;
  readonly tracer: Tracer;
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
  const waiting = new WaitingMeter(systemClock);
  const display =
    terminal.stderr.isTTY === true
      ? barDisplay(terminal, meter, waiting)
      : lineDisplay(logger, meter, waiting);
  display.start();
  return {
    observer: meter.observer,
    tracer: waiting.tracer,
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

function barDisplay(terminal: Terminal, meter: ExportMeter, waiting: WaitingMeter): Display {
  let bars: MultiBar | undefined;
  return {
    start: () => {
      bars = startBar(terminal, meter, waiting);
    },
    stop: () => {
      // a second stop would erase lines below the bar
      bars?.stop();
      bars = undefined;
    },
  };
}

function startBar(
  { stderr, environment }: Terminal,
  meter: ExportMeter,
  waiting: WaitingMeter,
): MultiBar {
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
      format: () => progressText(meter.state(), waiting.main(), terminalWidth(stderr) ?? 80),
    },
    Presets.shades_classic,
  );
  bars.create(1, 0);
  return bars;
}

function lineDisplay(logger: Logger, meter: ExportMeter, waiting: WaitingMeter): Display {
  let timers: NodeJS.Timeout[] = [];
  return {
    start: () => {
      const line = setInterval(() => {
        logger.info(progressFields(meter.state(), waiting.main()), 'exporting');
      }, LINE_INTERVAL_MS);
      // sampled every second, so that the cause is that of the last seconds
      timers = [line, setInterval(() => waiting.main(), 1000)];
      for (const timer of timers) timer.unref();
    },
    stop: () => {
      timers.forEach(clearInterval);
    },
  };
}

/** Formats the progress of an export: one line on a terminal, fields in a log. */

const BAR_WIDTH = 20;

/** As many parts as fit, the most important first. */
export function progressText(
  state: ExportState,
  cause: Cause | undefined,
  columns: number,
): string {
  const { sessions, sessionsListed, jobs, users, usersTotal, sessionsPerSecond, leftMs } = state;
  const done = `${sessions} of ${sessionsListed} sessions`;
  // the last column stays empty: some terminals wrap there
  const room = columns - 1;
  const bar = barOf(state.share, Math.min(BAR_WIDTH, room - done.length - 1));
  const parts = [
    bar === '' ? cutTo(done, room) : `${bar} ${done}`,
    `${jobs} jobs`,
    `${users} of ${usersTotal} users`,
    ...(cause === undefined ? [] : [`waiting for ${cause}`]),
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

export function progressFields(state: ExportState, cause: Cause | undefined): LogFields {
  const { sessionsPerSecond: speed, leftMs } = state;
  return {
    users: state.users,
    usersTotal: state.usersTotal,
    sessions: state.sessions,
    sessionsListed: state.sessionsListed,
    jobs: state.jobs,
    ...(speed === undefined ? {} : { sessionsPerSecond: Number(speedOf(speed)) }),
    ...(leftMs === undefined ? {} : { secondsLeft: Math.round(leftMs / 1000) }),
    ...(cause === undefined ? {} : { waitingFor: cause }),
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

/** Measures what a run waits for: the time that its parts spent waiting in the last seconds, by cause. */

/** What a part waits for during such a span. Other spans are the run's own work, or contain these. */
const CAUSES = {
  pace: 'the rate limit',
  request: 'the service',
  backoff: 'the service, to try again',
  download: 'downloads',
  save: 'the storage',
  lease: 'another run',
} as const satisfies Partial<Record<SpanName, string>>;

export type Cause = (typeof CAUSES)[keyof typeof CAUSES];

const WINDOW_MS = 5_000;
/** A cause is shown from this share of the time on. */
const LEAST_SHARE = 0.2;

interface Sample {
  readonly atMs: number;
  readonly waited: ReadonlyMap<Cause, number>;
}

export class WaitingMeter {
  readonly #clock: Clock;
  readonly #active = new Map<Cause, number>();
  readonly #waitedMs = new Map<Cause, number>();
  #countedMs: number;
  #samples: Sample[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#countedMs = clock.monotonic();
  }

  readonly tracer: Tracer = {
    span: async (name, _fields, work) => {
      const cause = name in CAUSES ? CAUSES[name as keyof typeof CAUSES] : undefined;
      if (cause === undefined) return work(() => undefined);
      this.#change(cause, 1);
      try {
        return await work(() => undefined);
      } finally {
        this.#change(cause, -1);
      }
    },
  };

  /** The main cause of waiting in the last five seconds; undefined where little time was spent waiting. */
  main(): Cause | undefined {
    this.#count();
    const nowMs = this.#countedMs;
    const recent = this.#samples.filter(({ atMs }) => atMs >= nowMs - WINDOW_MS);
    const since = recent[0] ?? { atMs: nowMs, waited: new Map<Cause, number>() };
    this.#samples = recent;
    // two samples a second are enough for a display
    if (nowMs - (recent.at(-1)?.atMs ?? -Infinity) >= 500) {
      this.#samples.push({ atMs: nowMs, waited: new Map(this.#waitedMs) });
    }
    const spanMs = nowMs - since.atMs;
    const [first] = [...this.#waitedMs]
      .map(([cause, ms]) => ({ cause, ms: ms - (since.waited.get(cause) ?? 0) }))
      .sort((a, b) => b.ms - a.ms);
    return first && spanMs > 0 && first.ms / spanMs >= LEAST_SHARE ? first.cause : undefined;
  }

  #change(cause: Cause, by: number): void {
    this.#count();
    this.#active.set(cause, (this.#active.get(cause) ?? 0) + by);
  }

  #count(): void {
    const nowMs = this.#clock.monotonic();
    const passedMs = nowMs - this.#countedMs;
    this.#countedMs = nowMs;
    for (const [cause, parts] of this.#active) {
      this.#waitedMs.set(cause, (this.#waitedMs.get(cause) ?? 0) + parts * passedMs);
    }
  }
}
