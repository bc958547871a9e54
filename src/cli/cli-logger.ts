/** Diagnostics on stderr: pretty on a terminal, a JSON line each elsewhere. */
import { pino } from 'pino';
import pinoPretty from 'pino-pretty';
import type { Logger } from '../base/logger.js';
import { redactText } from '../base/redact.js';
import { asBytes } from './harmless-terminal.js';
import { wantsColour, type Terminal } from './terminal.js';
import { visibleJson, visibleLine } from './visible.js';

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
  const format = settings.format ?? (stderr.isTTY === true ? 'text' : 'json');
  const pretty = pinoPretty.prettyFactory({
    colorize: wantsColour(stderr, environment),
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  });
  // value by value: in the line as a whole a quote is escaped, and what redacts would not know its end
  const clean = (_key: string, value: unknown): unknown =>
    typeof value === 'string' ? redactText(value, settings.secrets) : value;
  const shown = (line: string): string => {
    const fields = JSON.parse(line, clean) as object;
    if (format === 'json') return `${visibleJson(JSON.stringify(fields))}\n`;
    return pretty(JSON.parse(JSON.stringify(fields), visibleField) as object);
  };
  // a line must not end in what a progress bar has left on the terminal
  const clear = stderr.isTTY === true ? '\r\u001B[2K' : '';
  const output = asBytes(stderr);
  const write = (line: string) => output.write(clear + shown(line));
  const { level, context } = settings;
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ ...options, formatters, ...(context ? { mixin: context } : {}) }, { write });
}

/** A line of the log is one line, and steers no terminal, whatever is told in it. */
function visibleField(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? visibleLine(value) : value;
}
