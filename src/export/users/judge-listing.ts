/**
 * Looks whether a listing is that of the archive's project. One that has none of the archived sessions proves nothing:
 * neither that they are gone, nor that there is nothing new.
 */
import { BudgetSpentError } from '../../service/pace/request-budget.js';
import { isLive, type UserState } from '../../archive/state/user-state.js';
import { isNarrowed, type ExportRun } from '../export-run.js';
import { UnseenArchive } from './project-witness.js';
import { listSessions, type SessionListing } from './session-listing.js';

/** After so many other users who should have a session and show none, the key is taken for another project's. */
const MOST_USERS_WITHOUT = 20;

type JudgingRun = Pick<
  ExportRun,
  'archive' | 'failures' | 'grants' | 'project' | 'service' | 'settings' | 'signal'
>;

/**
 * The listing, with a gap where it has none of the archived sessions of the user, and no other user's shows any either.
 *
 * @throws {BudgetSpentError} nobody else could be asked
 */
export async function judgedListing(
  run: JudgingRun,
  state: UserState,
  listing: SessionListing,
): Promise<SessionListing> {
  const { settings, project } = run;
  const expected = sessionsExpected(state);
  if (isNarrowed(settings) || listing.gap || expected.length === 0) return listing;
  if (isAnyListed(expected, listing)) {
    project.seen();
    return listing;
  }
  if (settings.allowUnlisted === true) return listing;
  if (await project.sees(() => doOthersShow(run, state))) return listing;
  const what =
    expected.length === 1
      ? 'the archived session'
      : `any of the ${expected.length} archived sessions`;
  const gap = new UnseenArchive(
    `the service does not list ${what} of this user, nor of anybody else who was asked for: the API key may be that of another project; if they were deleted there, pass --allow-unknown-users`,
  );
  return { ...listing, gap };
}

async function doOthersShow(run: JudgingRun, { user: but }: UserState): Promise<boolean> {
  const { index, states } = run.archive;
  let without = 0;
  for (const user of index.users) {
    if (user === but) continue;
    const expected = sessionsExpected(await states.load(user));
    if (expected.length === 0) continue;
    try {
      if (isAnyListed(expected, await listSessions(run, user))) run.project.seen();
    } catch (error) {
      const mayGoOn = !(error instanceof BudgetSpentError) && !run.failures.isFatal(error);
      if (run.signal.aborted || !mayGoOn) throw error;
    }
    // also shown by a user of the run meanwhile
    if (run.project.hasSeen) return true;
    if (++without >= MOST_USERS_WITHOUT) break;
  }
  return false;
}

/** What the service should list of the user. */
function sessionsExpected({ sessions }: UserState): string[] {
  return [...sessions].flatMap(([id, state]) => (isLive(state) ? [id] : []));
}

function isAnyListed(expected: readonly string[], { sessions, gap }: SessionListing): boolean {
  if (gap) return false;
  const listed = new Set<string>(sessions.map(({ value }) => value.id));
  return expected.some((id) => listed.has(id));
}
