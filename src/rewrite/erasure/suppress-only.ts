/**
 * Puts somebody on the list of those whom exports skip, and erases nothing: who was erased before without that, or whom the
 * archive has never had.
 */
import type { Archive, ArchiveTask } from '../../archive/archive.js';
import { assertNotCut } from '../../archive/witnesses/cut-log.js';
import { ErasureTarget, learnFromLog } from '../../archive/erasing/erasure-target.js';
import { HeldSessions } from '../../archive/holds/held-sessions.js';
import { assertHoldsKnown, Holds } from '../../archive/holds/holds.js';
import { openRequestsAbout } from '../../archive/notes/change-requests.js';
import { suppressionsOf } from '../../archive/notes/set-suppressions.js';
import { noSuchSession, noSuchUser, placeWithout } from '../../archive/reading/selection.js';
import { runsAtWork } from '../../archive/runs/lease.js';
import { appendNote } from '../../archive/runs/note.js';
import { UsageError } from '../../base/error.js';
import { foldedUser } from '../../model/user-spelling.js';
import type { EraseChoices } from './erase-options.js';
import { assertNotHeld } from './erasure-checks.js';
import { assertNamesNobody } from './names-nobody.js';

/** Options of `suppress` of an open archive. */
export interface SuppressChoices extends Pick<EraseChoices, 'holds' | 'allowUnknownHolds'> {
  readonly users?: readonly string[] | undefined;
  readonly sessions?: readonly string[] | undefined;
  /** Why exports are to skip them; must not name them. */
  readonly reason: string;
  /** The person who decides it; must not name them. */
  readonly by: string;
  /** Record nothing. Default false. */
  readonly dryRun?: boolean | undefined;
  /** Called with the plan before anything is recorded; false declines. Default: no confirmation. */
  readonly confirm?: ((plan: SuppressSummary) => Promise<boolean>) | undefined;
}

export interface SuppressSummary {
  /** `nothing`: exports skip all of them already. */
  readonly status: 'recorded' | 'planned' | 'declined' | 'nothing';
  readonly archive: string;
  /** Number of the commit; null where nothing was recorded. */
  readonly commit: number | null;
  readonly users: readonly string[];
  readonly sessions: readonly string[];
  /** A sentence for each that the archive does not have, with what is like it there: one that is misspelt is seen. */
  readonly unknown: readonly string[];
  /** Names of open requests that are about any of them: nothing of them will be in what is made for these. */
  readonly open_requests: readonly string[];
  /** Runs that were at work when it was recorded: what they had read by then may still be archived. */
  readonly runs: readonly string[];
}

/**
 * @throws {UsageError} nothing is named, a text is empty or names any of it, or the archive has it: that is erased with `suppress`
 * @throws {ErasureHeldError} a hold binds any of it
 * @throws {ErasureUnfinishedError} an erasure has its receipt and is not finished
 * @throws {SigningKeyError | SigningStartError} the log is signed, and this run has no key or another one; or is not, and its key may not begin
 */
export async function suppressOnly(
  { archive }: ArchiveTask,
  choices: SuppressChoices,
): Promise<SuppressSummary> {
  const { users = [], sessions = [], reason, by, holds = Holds.none } = choices;
  if (users.length + sessions.length === 0) {
    throw new UsageError('nothing is named that exports are to skip; give a user or a session');
  }
  if ([...users, ...sessions].includes('')) throw new UsageError('an id is empty');
  if (reason.trim() === '') throw new UsageError('this needs a reason, and it is empty');
  if (by.trim() === '') throw new UsageError('this needs the name of a person, and it is empty');
  const asked = { users: [...new Set(users)], sessions: [...new Set(sessions)] };
  assertNamesNobody({ reason, by, isOfRequest: false }, new Set([...users, ...sessions]));
  if (choices.dryRun !== true) await archive.log.assertMayAppend();
  await assertNotCut(archive); // a hold may be in what is not there
  const held = new HeldSessions(archive, holds);
  const look = async () => {
    await archive.index.refresh();
    const target = new ErasureTarget(asked);
    await learnFromLog(archive, target);
    await assertAbsent(archive, target);
    if (choices.allowUnknownHolds !== true) await assertHoldsKnown(archive, holds);
    await assertNotHeld(held, target);
    const isFree = (user: string): boolean => !archive.index.suppressions.ofUser(user);
    const free = { ...asked, users: asked.users.filter(isFree) };
    return suppressionsOf(archive, free).map((entry) => ({ ...entry, reason, by }));
  };
  const summary: SuppressSummary = {
    status: (await look()).length === 0 ? 'nothing' : 'planned',
    archive: archive.storage.location,
    commit: null,
    ...asked,
    unknown: await unknownTexts(archive, asked),
    open_requests: openRequestsAbout(archive, asked).map(({ name }) => name),
    runs: [],
  };
  if (summary.status === 'nothing' || choices.dryRun === true) return summary;
  if (choices.confirm && !(await choices.confirm(summary))) {
    return { ...summary, status: 'declined' };
  }
  const commit = await appendNote(archive, {
    namesPeople: true,
    plan: async () => {
      const suppressions = await look();
      const isOutdatedBy = ({
        holds: set = [],
      }: {
        readonly holds?: readonly unknown[] | undefined;
      }) => set.length > 0;
      if (suppressions.length === 0) return { note: undefined, told: null };
      const note = { kind: 'suppress' as const, suppressions, isOutdatedBy };
      return { note, told: ({ number }: { readonly number: number }) => number };
    },
  });
  const runs = await runsAtWork({ storage: archive.storage, processes: archive.processes });
  const status = commit === null ? 'nothing' : 'recorded';
  return { ...summary, status, commit, runs: runs.map(({ run }) => run) };
}

/** @param target after `learnFromLog` @throws {UsageError} the archive has one of them, also a user in another spelling */
async function assertAbsent(
  { index, storage }: Archive,
  { asked: { users, sessions }, foundSessions }: ErasureTarget,
): Promise<void> {
  const spellings = new Set(users.map(foldedUser));
  const user = (await index.allUsers()).find((known) => spellings.has(foldedUser(known)));
  const session = sessions.find((id) => foundSessions.has(id));
  const known =
    user === undefined
      ? session === undefined
        ? undefined
        : `session ${JSON.stringify(session)}`
      : `user ${JSON.stringify(user)}`;
  if (known === undefined) return;
  throw new UsageError(
    `${storage.location} has the ${known}, which exports would go on to keep; erase it with --suppress`,
  );
}

async function unknownTexts(
  archive: Archive,
  { users, sessions }: { readonly users: readonly string[]; readonly sessions: readonly string[] },
): Promise<string[]> {
  const known = await archive.index.allUsers();
  const ofSessions = await Promise.all(sessions.map((session) => noSuchSession(archive, session)));
  return [
    ...users.map((user) => noSuchUser(placeWithout(archive, 'user', user), user, known)),
    ...ofSessions,
  ].map(({ message }) => message);
}
