/** Reads the configuration file: YAML (and so JSON), one key per setting. */
import type { Stats } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import type { Tags } from 'yaml';
import { codeOf, messageOf, fileErrorReason, UsageError } from '../base/error.js';
import { asObject, type JsonObject } from '../model/records.js';

export interface ConfigFile {
  /** As the user named it. */
  readonly path: string;
  /** Whether it was found in the working directory, without --config. */
  readonly isFound: boolean;
  readonly values: JsonObject;
}

export const DEFAULT_CONFIG_PATH = 'jobvault.config.yaml';

/**
 * Reads the named file, or `jobvault.config.yaml` in the working directory if it exists.
 *
 * @throws {UsageError} a named file is missing, one that was found is not this user's, or the file is no
 *   mapping of settings
 */
export async function readConfigFile(named: string | undefined): Promise<ConfigFile | undefined> {
  const path = named ?? DEFAULT_CONFIG_PATH;
  let content: string;
  try {
    content = await contentOf(path, named === undefined);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (named === undefined && codeOf(error) === 'ENOENT') return undefined;
    throw new UsageError(
      `the configuration file ${path} cannot be read: ${fileErrorReason(error)}`,
      {
        cause: error,
      },
    );
  }
  return { path, isFound: named === undefined, values: await mappingIn(path, content) };
}

async function contentOf(path: string, isFound: boolean): Promise<string> {
  const link = await lstat(path);
  const file = await open(path);
  try {
    if (isFound) assertOwn(path, [link, await file.stat()]);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/**
 * A file that was found decides where the API key is sent: no other user may be able to write it. Files of
 * root are trusted.
 *
 * @throws {UsageError} another user owns it, or everybody can write it
 */
function assertOwn(path: string, found: readonly Stats[]): void {
  const currentUser = process.getuid?.();
  if (currentUser === undefined) return; // Windows has no such owners
  const isOthers = found.some(({ uid }) => uid !== currentUser && uid !== 0);
  const isOpen = found.some((file) => !file.isSymbolicLink() && (file.mode & 0o002) !== 0);
  if (!isOthers && !isOpen) return;
  const trouble = isOthers ? 'belongs to another user' : 'can be written by every user';
  throw new UsageError(
    `${path} in this directory ${trouble} of this machine, and is not used; pass --config ${path} to use it`,
  );
}

async function mappingIn(path: string, content: string): Promise<JsonObject> {
  const { parse } = await import('yaml'); // most commands are run without a file
  let value: unknown;
  try {
    value = parse(content, { customTags: withoutNumbers, logLevel: 'error' });
  } catch (error) {
    const [firstLine = ''] = messageOf(error).split('\n');
    const reason = firstLine.replace(/:\s*$/, ''); // the library shows the line behind it
    throw new UsageError(`${path} is not YAML: ${reason}`, { cause: error });
  }
  if (value === null || value === undefined) return {};
  const mapping = asObject(value);
  if (!mapping)
    throw new UsageError(`${path} holds no settings; allowed is one "key: value" a line`);
  return mapping;
}

/** Keeps numbers as text: `user: 007` is not 7, and long ids keep all digits. */
function withoutNumbers(tags: Tags): Tags {
  return tags.filter((tag) => typeof tag === 'string' || !/:(?:int|float)$/.test(tag.tag));
}
