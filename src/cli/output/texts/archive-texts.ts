/** Sentences about an archive that several commands print. */
import type { ExportSummary } from '../../../export/export-summary.js';
import { agreeing, counted } from '../../../base/text/counted.js';
import { usersAndConversations } from '../../../model/users-and-conversations.js';
import { visibleLine } from '../../../base/text/visible.js';
import type { OpenArchive } from '../../../library/open-archive.js';
import { tablesAndImages } from '../tally.js';

/** `commit 8`, `commits 8 to 10`: the first and the last of a run. */
export function commitsText(commits: readonly number[]): string {
  const [first, last] = [commits.at(0) ?? 0, commits.at(-1) ?? 0];
  return first === last ? `commit ${first}` : `commits ${first} to ${last}`;
}

/** What a report or a workbook of a pseudonymised copy says of files. */
export function filesOfCopy(artifacts: number): string {
  const what = tablesAndImages(artifacts);
  return `${what}: not in this pseudonymised copy`;
}

/** Foreign files that are named. */
const LISTED = 5;

/** A report's text about foreign files; null without such files. */
export function foreignText(paths: readonly string[]): string | null {
  if (paths.length === 0) return null;
  const named = paths.slice(0, LISTED).map(visibleLine).join(', ');
  const rest = paths.length > LISTED ? ', …' : '';
  return `${counted(paths.length, 'file')} not made by jobvault, left alone: ${named}${rest}`;
}

/** `./archive has no holds.`; a pseudonymised copy does not know. @param what in the plural */
export function noneText({ location, identity }: OpenArchive, what: string): string {
  return identity.pseudonymised
    ? `${location} is a pseudonymised copy, from which ${what} are left out: ask the archive that it was made of.`
    : `${location} has no ${what}.`;
}

/** Who it is, the archive does not know: it has a digest of each, of a user in every spelling, also one that was not erased. */
export function suppressedText({
  users = 0,
  sessions = 0,
  users_on_hold: held = 0,
}: Partial<NonNullable<ExportSummary['suppressed']>> = {}): string | null {
  if (users + sessions === 0) return null;
  const suppressed = users === 0 ? 'suppressed' : 'suppressed, a user in every spelling';
  const skipped = `${usersAndConversations({ users, sessions })}: ${suppressed} (erase --unsuppress ends that)`;
  if (held === 0) return skipped;
  const whose =
    users === held ? agreeing(held, 'this user', 'these users') : `${held} of these users`;
  return `${skipped}; WARNING: something of ${whose} is on hold, and nothing new of it is archived`;
}
