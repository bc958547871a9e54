/** What qualifies an answer about users and sessions, as a report of them has it, from the log alone. */
import type { ArchiveReading } from '../archive/archive.js';
import { ArchiveView } from '../archive/reading/archive-view.js';
import { caveatsOf, type Caveat } from '../archive/reading/caveats/caveat.js';
import { readUsers } from '../archive/reading/caveats/read-users.js';
import { parsedScope, type GivenScope } from '../archive/reading/scope.js';
import { absolutePeriod } from '../model/times/period.js';
import { findChosen } from '../search/search-archive.js';
import { searchedOf } from '../search/unread-tables.js';

/** @throws {UsageError} there is no such user or session @throws {IntegrityError} the log is damaged */
export async function caveatsOfScope(
  { archive, signal }: ArchiveReading,
  scope: GivenScope = {},
): Promise<Caveat[]> {
  const given = absolutePeriod(scope, archive.clock.now());
  const found = await findChosen({ archive, ...given, signal });
  const view = await ArchiveView.of(archive, parsedScope(given), { chosen: found, signal });
  return caveatsOf(await readUsers(view, searchedOf(found, view.selection.users)));
}
