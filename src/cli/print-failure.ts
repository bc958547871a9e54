/** Prints what ended a command, and says with which exit code. */
import { messageOf, UsageError } from '../base/error.js';
import { wordsOf, type Command } from './command.js';
import { exitCodeOfError } from './exit-code.js';
import { GivenFileError } from './input/given-file.js';
import { printError, printWarning, type ErrorOutput } from './output/print-error.js';
import type { Interruption, Terminal } from './output/terminal.js';

export function exitCodeAfter(error: unknown, { interruption }: Terminal): number {
  return isInterruption(interruption) ? interruption.exitCode : exitCodeOfError(error);
}

function isInterruption(
  interruption: Interruption,
): interruption is Interruption & { readonly exitCode: number } {
  return interruption.exitCode !== undefined && !interruption.crash;
}

export function printFailure(
  error: unknown,
  errorOutput: ErrorOutput,
  command: Command | undefined,
  family: readonly string[] = [],
): void {
  const { interruption } = errorOutput.terminal;
  if (isInterruption(interruption)) {
    printWarning(messageOf(interruption.signal.reason), errorOutput);
    return;
  }
  const words = ['jobvault', ...(command ? wordsOf(command) : family)];
  const isOfWords = error instanceof UsageError && !(error instanceof GivenFileError);
  printError(error, errorOutput, isOfWords ? words.join(' ') : undefined);
}
