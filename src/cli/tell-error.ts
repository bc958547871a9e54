/** What went wrong, told on stderr in one sentence: never a stack of what was foreseen, never a secret. */
import { JobvaultError, messageOf } from '../base/error.js';
import { redactText } from '../base/redact.js';
import type { TextOutput } from './terminal.js';

/** The stack only of what should never have happened: that is a bug, and it helps whoever mends it. */
export function tellError(error: unknown, stderr: TextOutput, secrets: readonly string[]): void {
  const isForeseen = error instanceof JobvaultError || !(error instanceof Error);
  const told = isForeseen ? messageOf(error) : (error.stack ?? error.message);
  stderr.write(`jobvault: ${redactText(told, secrets)}\n`);
}
