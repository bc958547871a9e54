/** The archived names of sessions: a plan shows them, so that somebody can approve it. */
import type { Archive } from '../archive/archive.js';
import { rowsOfTable } from '../archive/reading/selected-rows.js';
import { JobvaultError, messageOf } from '../base/error.js';
import type { Logger } from '../base/logger.js';
import type { RowFormat } from '../formats/format.js';
import { sessionsTable } from '../model/tables.js';
import { sessionKey } from '../model/ids.js';

export interface SessionNamesOptions {
  readonly archive: Archive;
  /** All that jobvault knows; the first that the archive keeps is read. */
  readonly formats: readonly RowFormat[];
  /** Sessions that are asked for, by `sessionKey`. */
  readonly wanted: ReadonlySet<string>;
  readonly logger: Logger;
}

/** The newest name of each, by `sessionKey`. What cannot be read has none: a plan deletes nothing. */
export async function sessionNames({
  archive,
  formats,
  wanted,
  logger,
}: SessionNamesOptions): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const versions = new Map<string, number>();
  if (wanted.size === 0) return names;
  try {
    for await (const row of rowsOfTable({ archive, formats }, sessionsTable)) {
      const key = sessionKey(String(row['user_id']), String(row['session_id']));
      const [name, version] = [row['name'], Number(row['session_version'])];
      if (!wanted.has(key) || version <= (versions.get(key) ?? 0)) continue;
      versions.set(key, version);
      if (typeof name === 'string') names.set(key, name);
    }
  } catch (error) {
    if (!(error instanceof JobvaultError)) throw error;
    logger.warn({ reason: messageOf(error) }, 'the names of sessions could not be read');
  }
  return names;
}
