/** Refuses a wrong command line. Nobody but its caller is told. */
import { commonSettings } from '../config/common-settings.js';
import type { CliContext, Command } from './command.js';
import { placeOf } from './command-place.js';
import { flagWords } from './parser/flag-words.js';
import { printResult } from './output/print-result.js';
import { exitCodeAfter, printFailure } from './print-failure.js';
import { formatIn, noteSecrets, wantsJson, withFile } from './unchecked-settings.js';

export async function refuse(
  error: unknown,
  context: CliContext,
  command: Command | undefined,
  family: readonly string[],
): Promise<number> {
  const { terminal, secrets } = context;
  const flags = flagWords(
    terminal.arguments,
    Object.values({ ...command?.settings, ...commonSettings }),
  );
  const sources = { flags, environment: terminal.environment, file: undefined };
  const known = command?.ignoresConfigFile ? sources : await withFile(sources).catch(() => sources);
  if (command) noteSecrets(command, known, secrets);
  const format = formatIn(known);
  const exitCode = exitCodeAfter(error, terminal);
  const isJson = wantsJson(known);
  const place = placeOf(known);
  printResult(
    { result: {}, answer: '', exitCode, error, isJson, hasPrinted: false },
    { ...context, place },
  );
  printFailure(error, { terminal, secrets, format, place }, command, family);
  return exitCode;
}
