#!/usr/bin/env node
/** The process around the command line: arguments, streams and signals in, an exit code out. */
import { setFlagsFromString } from 'node:v8';
import { EXIT } from './cli/exit-code.js';
import { systemClock } from './base/runtime.js';
import { DEFAULT_TERMS } from './base/terms.js';
import { redactText } from './base/text/redact.js';
import { runCli } from './cli/run-cli.js';
import type { EndLimit } from './cli/output/terminal.js';
import { errorSentence } from './cli/output/error-sentence.js';

// On a large machine V8 lets the heap grow to four times what is alive before it looks for garbage;
// half more is enough, and keeps an export of any size in the memory of a small container.
setFlagsFromString('--heap-growing-percent=50');
// New objects have 1 MB at first, and twice that each time they fill it: to clear that out again and again takes a tenth
// of a short command. So they have all at once that they come to have in a long one (16 MB).
setFlagsFromString('--semi-space-growth-factor=16');

const interrupted = new AbortController();
let interruptedCode: number | undefined;
let hasEnded = false;
let crash: { readonly error: unknown } | undefined;
let interruptedAtMs = 0;
/** How long after the signal the process may live; of the command that runs. */
let limit: EndLimit = {
  ms: 25_000,
  onInt: false,
  report: () => Promise.resolve(),
  graceMs: 0,
};
let ending: NodeJS.Timeout | undefined;
function endLate(): void {
  const { ms, onInt, report, graceMs } = limit;
  clearTimeout(ending);
  if (interruptedCode === undefined || (interruptedCode === INT && !onInt)) return;
  // what a run has not committed by then is fetched again, as after a crash
  const exit = (): never => process.exit(interruptedCode);
  ending = setTimeout(() => {
    setTimeout(exit, graceMs);
    report().then(exit, exit);
  }, ms).unref();
}
const INT = 130;
/** `timeout`, and npm for Ctrl-C, deliver one signal twice: to the process, and to its group. */
const ECHO_MS = 1000;
for (const [signal, code] of [
  ['SIGINT', INT],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => {
    const nowMs = performance.now();
    if (interruptedCode === code && nowMs - interruptedAtMs < ECHO_MS) return;
    if (interruptedCode !== undefined) process.exit(code);
    interruptedCode = code;
    interruptedAtMs = nowMs;
    interrupted.abort(new Error(`stopped by ${signal}`));
    endLate();
  });
}
/** A run that has not ended by then hangs on what has crashed. */
const CRASH_MS = 30_000;
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    if (crash || hasEnded) {
      process.stderr.write(`jobvault: ${redactText(errorSentence(error))}\n`);
      process.exit(EXIT.unexpected);
    }
    crash = { error };
    // as at an interruption: what is ready is saved, and the summary and the failure are told
    interrupted.abort(error);
    setTimeout(() => process.exit(EXIT.unexpected), CRASH_MS).unref();
  });
}
// where nothing is left to wait for, and the command has not answered, nobody must take that for success
process.on('beforeExit', () => {
  if (hasEnded) return;
  const error = crash ? crash.error : new Error('the program ended before its command');
  process.stderr.write(`jobvault: ${redactText(errorSentence(error))}\n`);
  process.exit(interruptedCode ?? EXIT.unexpected);
});
// what nobody reads (`| head`) or can be shown ends no work and changes no exit code
process.stderr.on('error', () => undefined);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`jobvault: cannot write to stdout: ${error.message}\n`);
  process.exit(EXIT.storage);
});

process.exitCode = await runCli({
  arguments: process.argv.slice(2),
  environment: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  terms: DEFAULT_TERMS,
  interruption: {
    signal: interrupted.signal,
    endWithin: (given) => {
      limit = given;
      endLate();
    },
    get exitCode() {
      return crash ? EXIT.unexpected : interruptedCode;
    },
    get crash() {
      return crash;
    },
  },
});
hasEnded = true;
