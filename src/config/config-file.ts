/** The configuration file: YAML (and so JSON), one key a setting. */
import { readFile } from 'node:fs/promises';
import type { Tags } from 'yaml';
import { codeOf, messageOf } from '../base/error.js';
import { UsageError } from '../base/usage-error.js';
import { asObject, type JsonObject } from '../model/records.js';

export interface ConfigFile {
  /** As the user named it. */
  readonly path: string;
  readonly values: JsonObject;
}

export const DEFAULT_CONFIG_PATH = 'jobvault.config.yaml';

/**
 * Reads the named file, or `jobvault.config.yaml` in the working directory if there is one.
 *
 * @throws {UsageError} a named file is missing, or the file is no mapping of settings
 */
export async function readConfigFile(named: string | undefined): Promise<ConfigFile | undefined> {
  const path = named ?? DEFAULT_CONFIG_PATH;
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    if (named === undefined && codeOf(error) === 'ENOENT') return undefined;
    throw new UsageError(`the configuration file ${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return { path, values: await mappingIn(path, content) };
}

async function mappingIn(path: string, content: string): Promise<JsonObject> {
  const { parse } = await import('yaml'); // most commands are run without a file
  let value: unknown;
  try {
    value = parse(content, { customTags: withoutNumbers, logLevel: 'error' });
  } catch (error) {
    const [firstLine = ''] = messageOf(error).split('\n');
    throw new UsageError(`${path} is not YAML: ${firstLine}`, { cause: error });
  }
  if (value === null || value === undefined) return {};
  const mapping = asObject(value);
  if (!mapping)
    throw new UsageError(`${path} holds no settings; allowed is one "key: value" a line`);
  return mapping;
}

/** Numbers stay as they are written: `user: 007` is no 7, and long ids keep their last digits. */
function withoutNumbers(tags: Tags): Tags {
  return tags.filter((tag) => typeof tag === 'string' || !/:(?:int|float)$/.test(tag.tag));
}
