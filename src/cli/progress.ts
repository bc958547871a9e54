/** How far an export has come: a moving bar on a terminal, a line every 30 seconds elsewhere. */
import { MultiBar, Presets } from 'cli-progress';
import type { Logger } from '../base/logger.js';
import type { ExportObserver } from '../export/export-observer.js';
import type { Terminal } from './terminal.js';

const LINE_INTERVAL_MS = 30_000;

export interface Progress {
  readonly observer: ExportObserver;
  /** Harmless when repeated. */
  readonly stop: () => void;
}

interface Counts {
  sessions: number;
  sessionsListed: number;
  users: number;
  jobs: number;
}

export function startProgress(terminal: Terminal, logger: Logger): Progress {
  const counts: Counts = { sessions: 0, sessionsListed: 0, users: 0, jobs: 0 };
  const shown =
    terminal.stderr.isTTY === true ? showBar(terminal, counts) : showLines(logger, counts);
  const observer: ExportObserver = {
    sessionsListed(_user, count) {
      counts.sessionsListed += count;
      shown.update();
    },
    sessionFinished() {
      counts.sessions++;
      shown.update();
    },
    jobArchived() {
      counts.jobs++;
      shown.update();
    },
    userFinished() {
      counts.users++;
      shown.update();
    },
  };
  return { observer, stop: shown.stop };
}

interface Shown {
  readonly update: () => void;
  readonly stop: () => void;
}

function showBar({ stderr, environment }: Terminal, counts: Counts): Shown {
  const bars = new MultiBar(
    {
      stream: stderr as NodeJS.WritableStream,
      clearOnComplete: true,
      hideCursor: !environment['NO_COLOR'],
      format:
        '{bar} {value} of {total} sessions · {jobs} jobs · {users} users done · {duration_formatted}',
    },
    Presets.shades_classic,
  );
  const bar = bars.create(0, 0, { jobs: 0, users: 0 });
  return {
    update() {
      bar.setTotal(counts.sessionsListed);
      bar.update(counts.sessions, { jobs: counts.jobs, users: counts.users });
    },
    stop: () => {
      bars.stop();
    },
  };
}

function showLines(logger: Logger, counts: Counts): Shown {
  const timer = setInterval(() => {
    logger.info({ ...counts }, 'exporting');
  }, LINE_INTERVAL_MS);
  timer.unref();
  return {
    update: () => undefined,
    stop: () => {
      clearInterval(timer);
    },
  };
}
