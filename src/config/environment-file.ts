/**
 * Reads the file `environment` beside a configuration: variables such as the credentials of a bucket, which
 * `init --nightly` writes for cron and systemd. Commands read it, too, so that they work in any shell.
 */
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, fileErrorReason, UsageError } from '../base/error.js';
import type { ConfigFile } from './config-file.js';

const NAME = 'environment';
const LINE = /^(?:export\s)?\s*([A-Za-z_]\w*)=(.*)$/;

/**
 * Returns the variables by name. There are none without a file, in a file that another user may read where nobody named
 * the configuration (it may be a stranger's, with one's own key sent to the stranger's host), and in a file that this
 * user may not read.
 *
 * @throws {UsageError} a line sets no variable
 */
export async function readEnvironmentFile({
  path: config,
  isFound,
}: Pick<ConfigFile, 'path' | 'isFound'>): Promise<Readonly<Record<string, string>>> {
  const path = join(dirname(config), NAME);
  let text: string;
  try {
    if (isFound && !(await isPrivate(path))) return {};
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EISDIR'].includes(codeOf(error) ?? '')) return {};
    throw new UsageError(`${path} cannot be read: ${fileErrorReason(error)}`, { cause: error });
  }
  return variablesIn(text, path);
}

/** @throws {UsageError} names the line by its number: it may be a secret */
function variablesIn(text: string, path: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const [, name, value = ''] = LINE.exec(trimmed) ?? [];
    if (name === undefined) {
      throw new UsageError(`line ${index + 1} of ${path} sets no variable; allowed is NAME=VALUE`);
    }
    variables[name] = withoutQuotes(value.trim());
  }
  return variables;
}

function withoutQuotes(value: string): string {
  return /^(["']).*\1$/.test(value) && value.length > 1 ? value.slice(1, -1) : value;
}

async function isPrivate(path: string): Promise<boolean> {
  const { uid, mode } = await stat(path);
  const user = process.getuid?.();
  return user === undefined || ((uid === user || uid === 0) && (mode & 0o077) === 0);
}
