/** The names of sessions, as a plan shows them. */
import type { Archive } from '../../archive/archive.js';
import { rowsOfTable } from '../../archive/reading/rows/selected-rows.js';
import { JobvaultError, messageOf } from '../../base/error.js';
import { sessionKey } from '../../model/ids.js';
import { sessionsTable } from '../../model/tables.js';

/**
 * The newest archived name of each session, by `sessionKey`: a plan shows it, so that somebody can approve it. What
 * cannot be read has none: a plan deletes nothing.
 *
 * @param wanted sessions that are asked for, by `sessionKey`
 */
export async function sessionNames(
  archive: Archive,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const versions = new Map<string, number>();
  if (wanted.size === 0) return names;
  try {
    for await (const row of rowsOfTable({ archive }, sessionsTable)) {
      const key = sessionKey(String(row['user_id']), String(row['session_id']));
      const [name, version] = [row['name'], Number(row['session_version'])];
      if (!wanted.has(key) || version <= (versions.get(key) ?? 0)) continue;
      versions.set(key, version);
      if (typeof name === 'string') names.set(key, name);
    }
  } catch (error) {
    if (!(error instanceof JobvaultError)) throw error;
    archive.logger.warn({ reason: messageOf(error) }, 'the names of sessions could not be read');
  }
  return names;
}
