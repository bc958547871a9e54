/** Reads the API key from a variable or a file; never from a flag, which `ps` would show. */
import { UsageError } from '../../base/usage-error.js';
import type { Invocation } from '../command.js';
import type { Terminal } from '../terminal.js';
import { readGiven } from './given-file.js';

/** Adds the key to the secrets. @throws {UsageError} there is no key, or the file cannot be read */
export async function readApiKey(
  file: string | undefined,
  context: Pick<Invocation, 'terminal' | 'secrets'>,
): Promise<string> {
  const key = await keyIn(file, context.terminal);
  context.secrets.push(key);
  return key;
}

async function keyIn(file: string | undefined, { environment }: Terminal): Promise<string> {
  if (file === undefined) {
    const key = environment['JOBVAULT_API_KEY'];
    if (key) return key;
    throw new UsageError('there is no API key; set JOBVAULT_API_KEY or give --api-key-file');
  }
  const key = (await readGiven('--api-key-file', file)).toString().trim();
  if (key === '') throw new UsageError(`--api-key-file ${file} is empty; allowed is one API key`);
  return key;
}
