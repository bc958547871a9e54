/** Shared by `hold add` and `hold release`: opens the archive, changes its holds and prints the change. */
import { userInfo } from 'node:os';
import type { HoldChoices } from '../../../archive/change-holds.js';
import type { HoldRecord } from '../../../archive/log/hold-history.js';
import { UsageError } from '../../../base/usage-error.js';
import type { holdAddSettings } from '../../../config/hold-settings.js';
import type { OpenArchive } from '../../../library/open-archive.js';
import type { Invocation } from '../../command.js';
import { withArchive } from '../../input/archive-argument.js';
import { heldSubject, holdFacts } from './hold-text.js';
import { printAnswer } from '../../output/print-answer.js';

type Changing = Invocation<Omit<typeof holdAddSettings, 'allowUnknownHolds'>>;

/** @throws {UsageError} no reason is given */
export async function changeHolds(
  invocation: Changing,
  done: string,
  change: (archive: OpenArchive, given: HoldChoices) => Promise<HoldRecord[]>,
): Promise<void> {
  const { settings, terminal } = invocation;
  const { user: users, session: sessions, reason, by = loginName() } = settings;
  if (reason === undefined) {
    throw new UsageError('--reason is missing; give the reason, such as a case number');
  }
  const changed = await withArchive(invocation, (archive) =>
    change(archive, { users, sessions, reason, by }),
  );
  const commit = changed[0]?.release?.commit ?? changed[0]?.commit;
  printAnswer(
    { settings, terminal },
    { commit, holds: changed.map(holdFacts) },
    () => `${done} in commit ${commit}: ${[...new Set(changed.map(heldSubject))].join(', ')}\n`,
  );
}

/** @throws {UsageError} the user has no name, as in some containers */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    throw new UsageError('this process has no login name; give --by');
  }
}
