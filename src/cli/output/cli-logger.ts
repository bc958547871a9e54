/** Diagnostics on stderr: pretty on a terminal, a JSON line each elsewhere. */
import { pino } from 'pino';
import pinoPretty from 'pino-pretty';
import type { Logger } from '../../base/logger.js';
import { parseJson } from '../../base/parse-json.js';
import { redactText } from '../../base/redact.js';
import { asBytes } from '../harmless-terminal.js';
import { wantsColour, type Terminal } from '../terminal.js';
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

const OF_PROCESS = ['pid', 'hostname'];
/** For programs: the sentence tells people what they need of them. */
const OF_REQUEST = 'run,operation,attempt,code,status,externalTraceId,traceId,waitMs'.split(',');

/** What was chosen, else what suits whoever reads. */
export function formatFor({ stderr }: Terminal, chosen: LoggerSettings['format']): 'text' | 'json' {
  return chosen ?? (stderr.isTTY === true ? 'text' : 'json');
}

export function createCliLogger(terminal: Terminal, settings: LoggerSettings): Logger {
  const { stderr, environment } = terminal;
  const format = formatFor(terminal, settings.format);
  const ignore = settings.level === 'debug' ? OF_PROCESS : [...OF_PROCESS, ...OF_REQUEST];
  // made for the first line: most commands log none
  let pretty: ReturnType<typeof pinoPretty.prettyFactory> | undefined;
  const prettyLine = (fields: unknown): string => {
    pretty ??= pinoPretty.prettyFactory({
      colorize: wantsColour(stderr, environment),
      ignore: ignore.join(','),
      translateTime: 'SYS:HH:MM:ss',
      singleLine: true,
    });
    return pretty(fields);
  };
  // value by value: in the line as a whole a quote is escaped, and what redacts would not know its end
  const clean = (text: string): string => redactText(text, settings.secrets);
  const shown = (line: string): string => {
    const fields = withTexts(parseJson(line), clean);
    if (format === 'json') return `${visibleJson(JSON.stringify(fields))}\n`;
    // a line of the log is one line, and steers no terminal, whatever is told in it
    return prettyLine(withTexts(fields, visibleLine));
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

/** The same value with every text changed. */
function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => withTexts(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, withTexts(one, change)]),
  );
}
