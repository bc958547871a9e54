/** Shows the progress of an export: a bar on a terminal, a log line every 30 seconds elsewhere. */
import { MultiBar, Presets } from 'cli-progress';
import type { Logger } from '../../../base/logger.js';
import { systemClock } from '../../../base/system-clock.js';
import type { Tracer } from '../../../base/tracer.js';
import type { ExportObserver } from '../../../export/export-observer.js';
import { ExportMeter } from './export-meter.js';
import { progressFields, progressText } from './progress-text.js';
import { terminalWidth, type Terminal } from '../../terminal.js';
import { WaitingMeter } from './waiting-meter.js';
import { asBytes } from '../../harmless-terminal.js';

const LINE_INTERVAL_MS = 30_000;

export interface Progress {
  readonly observer: ExportObserver;
  readonly tracer: Tracer;
  /** Can be called more than once. */
  readonly stop: () => void;
}

/** @param users how many users the run processes */
export function startProgress(terminal: Terminal, logger: Logger, users: number): Progress {
  const meter = new ExportMeter(systemClock, users);
  const waiting = new WaitingMeter(systemClock);
  const stop =
    terminal.stderr.isTTY === true
      ? showBar(terminal, meter, waiting)
      : showLines(logger, meter, waiting);
  return { observer: meter.observer, tracer: waiting.tracer, stop };
}

function showBar(
  { stderr, environment }: Terminal,
  meter: ExportMeter,
  waiting: WaitingMeter,
): () => void {
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
  let isShown = true;
  return () => {
    // a second stop would erase lines below the bar
    if (isShown) bars.stop();
    isShown = false;
  };
}

function showLines(logger: Logger, meter: ExportMeter, waiting: WaitingMeter): () => void {
  const timer = setInterval(() => {
    logger.info(progressFields(meter.state(), waiting.main()), 'exporting');
  }, LINE_INTERVAL_MS);
  timer.unref();
  // sampled every second, so that the cause is that of the last seconds
  const glance = setInterval(() => waiting.main(), 1000);
  glance.unref();
  return () => {
    clearInterval(timer);
    clearInterval(glance);
  };
}
