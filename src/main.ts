#!/usr/bin/env node
/** The process around the command line: arguments, streams and signals in, an exit code out. */
import { setFlagsFromString } from 'node:v8';
import { EXIT } from './cli/exit-code.js';
import { runCli } from './cli/run-cli.js';

// On a large machine V8 lets the heap grow to four times what is alive before it looks for garbage;
// half more is enough, and keeps an export of any size in the memory of a small container.
setFlagsFromString('--heap-growing-percent=50');

const interrupted = new AbortController();
let interruptedCode: number | undefined;
let interruptedAtMs = 0;
/** `timeout`, and npm for Ctrl-C, deliver one signal twice: to the process, and to its group. */
const ECHO_MS = 1000;
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => {
    const nowMs = performance.now();
    if (interruptedCode === code && nowMs - interruptedAtMs < ECHO_MS) return;
    if (interruptedCode !== undefined) process.exit(code);
    interruptedCode = code;
    interruptedAtMs = nowMs;
    interrupted.abort(new Error(`stopped by ${signal}`));
  });
}
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
  interruption: {
    signal: interrupted.signal,
    get exitCode() {
      return interruptedCode;
    },
  },
});
