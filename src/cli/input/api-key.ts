/** Reads the API key from a variable or a file; never from a flag, which `ps` would show. */
import type { Invocation } from '../command.js';
import { UsageError } from '../../base/error.js';
import { blamingFile, readGiven } from './given-file.js';
import { stat } from 'node:fs/promises';
import type { Logger } from '../../base/logger.js';
import type { Terminal } from '../output/terminal.js';

interface KeyContext extends Pick<Invocation, 'terminal' | 'secrets'> {
  /** Hears if others may read the file. */
  readonly logger?: Logger | undefined;
}

/** Adds the key to the secrets. @throws {UsageError} there is no key, or the file cannot be read */
export async function readApiKey(file: string | undefined, context: KeyContext): Promise<string> {
  const key = await blamingFile('--api-key-file', file, async () => {
    const found = await keyIn(file, context.terminal);
    context.secrets.push(found);
    const { checkApiKey } = await import('../../service/create-service-client.js');
    return checkApiKey(found, ` in ${file ?? 'JOBVAULT_API_KEY'}`);
  });
  const warning = context.logger && (await keyFileWarning(file));
  if (warning) context.logger.warn({}, `${warning.message}; ${warning.fix}`);
  return key;
}

async function keyIn(file: string | undefined, { environment }: Terminal): Promise<string> {
  if (file === undefined) {
    const key = environment['JOBVAULT_API_KEY'];
    if (key) return key;
    throw new UsageError('there is no API key; set JOBVAULT_API_KEY or give --api-key-file');
  }
  const key = (await readGiven('--api-key-file', file)).toString().trim();
  if (key === '') throw new UsageError(`--api-key-file ${file} is empty; put the API key into it`);
  return key;
}

const FOR_OTHERS = 0o077;

/** The warning about a file of this user that others may read or change, as ssh tells of its keys. */
export async function keyFileWarning(
  file: string | undefined,
  key = 'API key',
): Promise<{ readonly message: string; readonly fix: string } | undefined> {
  if (file === undefined || process.platform === 'win32') return undefined;
  const { uid, mode } = await stat(file);
  if (uid !== process.getuid?.() || (mode & FOR_OTHERS) === 0) return undefined;
  const permissions = (mode & 0o777).toString(8).padStart(4, '0');
  return {
    message: `the ${key} in ${file} may be read by other users of this machine (mode ${permissions})`,
    fix: `chmod 600 ${file}`,
  };
}
