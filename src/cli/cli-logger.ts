/** Diagnostics on stderr: pretty on a terminal, a JSON line each elsewhere. */
import { pino } from 'pino';
import pinoPretty from 'pino-pretty';
import type { Logger } from '../base/logger.js';
import { redactText } from '../base/redact.js';
import { wantsColour, type Terminal } from './terminal.js';

export interface LoggerSettings {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Undefined: text on a terminal, else json. */
  readonly format: 'text' | 'json' | undefined;
  /** Never written, wherever they might turn up. */
  readonly secrets: readonly string[];
  /** Added to every line. */
  readonly context?: () => Readonly<Record<string, string>>;
}

export function createCliLogger(terminal: Terminal, settings: LoggerSettings): Logger {
  const { stderr, environment } = terminal;
  const clean = (line: string) => redactText(line, settings.secrets);
  const format = settings.format ?? (stderr.isTTY === true ? 'text' : 'json');
  const shown =
    format === 'json'
      ? (line: string) => line
      : pinoPretty.prettyFactory({
          colorize: wantsColour(stderr, environment),
          ignore: 'pid,hostname',
          translateTime: 'SYS:HH:MM:ss',
          singleLine: true,
        });
  // a line must not end in what a progress bar has left on the terminal
  const clear = stderr.isTTY === true ? '\r\u001B[2K' : '';
  const write = (line: string) => stderr.write(clear + clean(shown(line)));
  const { level, context } = settings;
  return pino({ level, base: null, ...(context ? { mixin: context } : {}) }, { write });
}
