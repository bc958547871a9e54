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
}

export function createCliLogger(terminal: Terminal, settings: LoggerSettings): Logger {
  const { stderr, environment } = terminal;
  const clean = (line: string) => redactText(line, settings.secrets);
  const format = settings.format ?? (stderr.isTTY === true ? 'text' : 'json');
  const destination = { write: (line: string) => stderr.write(clean(line)) };
  const stream =
    format === 'json'
      ? destination
      : {
          write: (line: string) =>
            stderr.write(
              clean(
                pinoPretty.prettyFactory({
                  colorize: wantsColour(stderr, environment),
                  ignore: 'pid,hostname',
                  translateTime: 'SYS:HH:MM:ss',
                  singleLine: true,
                })(line),
              ),
            ),
        };
  return pino({ level: settings.level, base: null }, stream);
}
