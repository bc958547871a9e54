/** Makes the log on stderr: text on a terminal, JSON lines elsewhere. */
import type pinoPretty from 'pino-pretty';
import type { LogFields, Logger } from '../../base/logger.js';
import { systemClock } from '../../base/runtime.js';
import { parseJson } from '../../base/text/parse-json.js';
import { redactText } from '../../base/text/redact.js';
import { terminalWidth, wantsColour, type Terminal } from './terminal.js';
import { asBytes } from './harmless-terminal.js';
import { folded } from './folded-text.js';
import { visibleJson, visibleLine } from '../../base/text/visible.js';

export interface LoggerSettings {
  readonly level: (typeof LEVELS)[number];
  /** Undefined: text on a terminal, else json. */
  readonly format: 'text' | 'json' | undefined;
  /** Masked wherever they appear. */
  readonly secrets: readonly string[];
}

/** Fields for programs; for people, the message has what they need. */
const OF_REQUEST = 'run,operation,attempt,code,status,externalTraceId,traceId,waitMs';
const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

/** The chosen format; by default text for a terminal, else JSON. */
export function formatFor({ stderr }: Terminal, chosen: LoggerSettings['format']): 'text' | 'json' {
  return chosen ?? (stderr.isTTY === true ? 'text' : 'json');
}

/** Only a log of text loads what makes its lines: cron's start is shorter without. */
export async function createCliLogger(
  terminal: Terminal,
  settings: LoggerSettings,
): Promise<Logger> {
  if (formatFor(terminal, settings.format) === 'json') return jsonLogger(terminal, settings);
  const { default: pretty } = await import('pino-pretty');
  const { stderr, environment } = terminal;
  // made with the first line: most commands log nothing
  let lineOf: ReturnType<typeof pinoPretty.prettyFactory> | undefined;
  return loggerOf(terminal, settings, (fields) => {
    lineOf ??= pretty.prettyFactory({
      colorize: wantsColour(stderr, environment),
      ignore: settings.level === 'debug' ? '' : OF_REQUEST,
      // a file or a mail is read on another day
      translateTime: stderr.isTTY === true ? 'SYS:HH:MM:ss' : "UTC:yyyy-mm-dd'T'HH:MM:ss'Z'",
      singleLine: true,
    });
    // one line without control characters, whatever the values hold
    return foldedLine(lineOf(withTexts(fields, visibleLine)), terminalWidth(stderr));
  });
}

/** A line of JSON for each entry, on a terminal, too. */
export function jsonLogger(terminal: Terminal, settings: LoggerSettings): Logger {
  return loggerOf(terminal, settings, (fields) => `${visibleJson(JSON.stringify(fields))}\n`);
}

/** @param shown the line of an entry without secrets */
function loggerOf(
  { stderr }: Terminal,
  { level, secrets }: LoggerSettings,
  shown: (fields: unknown) => string,
): Logger {
  // value by value: in the whole line quotes are escaped, and a secret's end would be missed
  const clean = (text: string): string => redactText(text, secrets);
  // clears what a progress bar has left on the line
  const clear = stderr.isTTY === true ? '\r\u001B[2K' : '';
  const output = asBytes(stderr);
  const write = (of: keyof Logger, fields: LogFields, message: string): void => {
    if (LEVELS.indexOf(of) < LEVELS.indexOf(level)) return;
    const entry = {
      level: of,
      time: new Date(systemClock.now()).toISOString(),
      ...fields,
      msg: message,
    };
    // what JSON makes of values, such as dates, has texts, too
    output.write(clear + shown(withTexts(parseJson(JSON.stringify(entry)), clean)));
  };
  return {
    debug: (fields, message) => write('debug', fields, message),
    info: (fields, message) => write('info', fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
  };
}

const INDENT = ' '.repeat(4);

/** Lines after the first are indented: they are not mistaken for lines of their own. */
function foldedLine(line: string, width: number | undefined): string {
  if (width === undefined) return line;
  const [first = '', ...rest] = folded(line.trimEnd(), width).split('\n');
  const indented = folded(rest.join(' '), width - INDENT.length).split('\n');
  const further = rest.length === 0 ? [] : indented.map((piece) => INDENT + piece);
  return `${[first, ...further].join('\n')}\n`;
}

/** Returns the value with every text changed. */
function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((element) => withTexts(element, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withTexts(member, change)]),
  );
}
