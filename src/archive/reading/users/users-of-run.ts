/** The users of a run, each once, as it had them when it ended: nothing that came later counts. */
import { groupBy } from '../../../base/group-by.js';
import type { UserId } from '../../../model/ids.js';
import { foldedUser, userCount } from '../../../model/user-spelling.js';
import type { Archive } from '../../archive.js';
import type { UserEntry, UsersEntry } from '../../log/commit.js';
import { listedIn } from '../../log/manifest.js';
import { manifestOf } from '../../paths.js';
import { isLive } from '../../state/archived-session.js';
import { newestRuns, outcomeOf, type RunStatus } from '../../state/run-history.js';
import { sessionGaps } from '../doubts.js';
import { Spellings } from './listed-again.js';
import { isTriedWhole } from './user-listings.js';

interface UsersOfRun {
  /** Users whom the run finished. */
  readonly users: number;
  readonly complete: number;
  /** Users of whom only what somebody has decided on is missing. */
  readonly decided: number;
  /** Users whom it did not finish: its budget left some of their sessions. */
  readonly partly: number;
}

interface UserOfRun {
  /** One who was doubted later in the run is listed again there, as not complete. */
  readonly entry: UserEntry;
  /** Whether any of the run's listings tells one: what is doubted later is a gap. */
  readonly hasGap: boolean;
  readonly isLeft: boolean;
}

/**
 * Counts each user of an export once, where commits alone may count one twice, and what one spelling of a user lacks for
 * the other that has it.
 */
export async function withUsers<Run extends RunStatus>(run: Run, archive: Archive): Promise<Run> {
  const mayCountTwice =
    (run.users_to_read === null || run.redacted || run.partly > 0) &&
    run.users > 0 &&
    run.commits[0] < run.commits[1];
  if (run.kind !== 'export' || (run.outcome !== 'gaps' && !mayCountTwice)) return run;
  const { users, complete, decided, partly } = await usersOfRun(archive, run);
  const counted = { ...run, users, complete, incomplete_by_decision: decided, partly };
  return run.outcome === 'gaps' ? { ...counted, outcome: outcomeOf(counted) } : counted;
}

/**
 * The runs of the log, the newest first, each with the outcome that its summary had: of a run that lacks only what counts for
 * another spelling, its commits alone do not tell it.
 *
 * @param archive its index must be up to date
 * @throws {IntegrityError} a manifest is damaged
 */
export async function runsIn(archive: Archive): Promise<RunStatus[]> {
  const { index } = archive;
  const hasSpellings = userCount(index.users) < index.users.length;
  const runs: RunStatus[] = [];
  for (const run of newestRuns(index))
    runs.push(hasSpellings ? await withUsers(run, archive) : run);
  return runs;
}

/**
 * Reads the users manifests of the run, and the states of users of whom it has several spellings and not everything.
 *
 * @param archive its index must be up to date
 * @throws {IntegrityError} a manifest is damaged
 */
async function usersOfRun(
  archive: Archive,
  { run, commits: [, last] }: RunStatus,
): Promise<UsersOfRun> {
  const users = new Map<string, UserOfRun>();
  for await (const entry of listingsOfRun(archive, run)) {
    const { user, gaps, error, left } = entry;
    const before = users.get(user);
    const hasGap = gaps > 0 || error !== null || before?.hasGap === true;
    const isLeft = left !== undefined || before?.isLeft === true;
    users.set(user, { entry, hasGap, isLeft });
  }
  const all = [...users.values()].filter(({ isLeft }) => !isLeft);
  const undecided = all.filter(({ entry }) => entry.by_decision !== true);
  const lacking = undecided.filter(({ entry }) => !entry.complete);
  const elsewhere = await usersWholeElsewhere(archive, all, last);
  const incomplete = lacking.filter(({ entry }) => !elsewhere.has(entry.user));
  return {
    users: all.length,
    complete: undecided.length - incomplete.length,
    decided: all.length - undecided.length,
    partly: users.size - all.length,
  };
}

/**
 * The users whom a run of everybody has read. Its manifests are read only where later runs have listed some of them again:
 * of all others their newest listing tells it.
 *
 * @param archive its index must be up to date
 * @param isAsked of whom it is asked
 * @throws {IntegrityError} a manifest is damaged
 */
export async function usersReadBy(
  archive: Archive,
  { run, commits: [first] }: RunStatus,
  isAsked: (user: UserId) => boolean,
): Promise<ReadonlySet<UserId>> {
  const { index } = archive;
  const [read, listedAgain] = [new Set<UserId>(), new Set<UserId>()];
  for (const [user, { lastOfAll }] of await index.listings()) {
    if (!lastOfAll || lastOfAll.commit < first || !isAsked(user)) continue;
    const isOfRun = index.commit(lastOfAll.commit)?.run === run;
    (isOfRun ? read : listedAgain).add(user);
  }
  if (listedAgain.size === 0) return read;
  for await (const { user } of listingsOfRun(archive, run)) {
    if (listedAgain.has(user)) read.add(user);
  }
  return read;
}

/**
 * Yields what the run has listed, from its users manifests; a user who was doubted later in it comes twice.
 *
 * @param archive its index must be up to date
 * @throws {IntegrityError} a manifest is damaged
 */
export async function* listingsOfRun(
  archive: Archive,
  run: RunStatus['run'],
): AsyncGenerator<UserEntry> {
  const { index } = archive;
  // the commits themselves have all of their sessions
  for (const [path, manifest] of index.contents.manifests) {
    const { name, number = 0 } = manifestOf(path) ?? {};
    if (name !== 'users' || !manifest || index.commit(number)?.run !== run) continue;
    yield* await listedIn(archive, { number, users: manifest as UsersEntry });
  }
}

/**
 * Users whose gaps are all of sessions that the run has read, or tried to, under another spelling, too, for which they count.
 *
 * @param last the run's last commit
 */
async function usersWholeElsewhere(
  archive: Archive,
  users: readonly UserOfRun[],
  last: number,
): Promise<ReadonlySet<string>> {
  const whole = new Set<string>();
  for (const spelt of groupBy(users, ({ entry }) => foldedUser(entry.user)).values()) {
    const toldElsewhere = spelt.filter(
      ({ entry, hasGap }) => hasGap && !entry.complete && isTriedWhole(entry),
    );
    if (spelt.length === 1 || toldElsewhere.length === 0) continue;
    const spellings = spelt.map(({ entry }) => entry.user);
    const { listedAgain } = await Spellings.ofRun(archive, spellings, last);
    for (const { user } of toldElsewhere.map(({ entry }) => entry)) {
      const elsewhere = new Set(
        listedAgain.filter((again) => again.user === user).map(({ session }) => session),
      );
      const { sessions } = await archive.states.loadAsOf(user, last);
      const lacking = [...sessions].filter(
        // of what is gone, a run tells only the gaps that the log has
        ([, state]) => (isLive(state) ? sessionGaps(state) : state.gaps).length > 0,
      );
      if (lacking.length > 0 && lacking.every(([session]) => elsewhere.has(session))) {
        whole.add(user);
      }
    }
  }
  return whole;
}
