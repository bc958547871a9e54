/** Shows the progress of an export: a bar on a terminal, a log line every 30 seconds elsewhere. */
import { MultiBar, Presets } from 'cli-progress';
import type { Logger } from '../../../base/logger.js';
import { systemClock } from '../../../base/runtime.js';
import type { ExportObserver } from '../../../export/export-observer.js';
import { ExportMeter } from './export-meter.js';
import { terminalWidth, type Terminal } from '../terminal.js';
import { asBytes } from '../harmless-terminal.js';
import { progressText, progressFields } from './progress-text.js';

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
        logger.info(progressFields(meter.state(), systemClock.now()), 'exporting');
      }, LINE_INTERVAL_MS);
      timer.unref();
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}
