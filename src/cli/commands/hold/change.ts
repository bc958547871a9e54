/** What `hold add` and `hold release` share: the archive is opened to be written, and the change is told. */
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
    throw new UsageError('--reason is missing; allowed is a text that tells why, such as a case');
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

/** @throws {UsageError} a container's user may have a number and no name */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    throw new UsageError('--by is missing, and this process has no login name to take instead');
  }
}
