/** What `hold add` and `hold release` share: the archive is opened to be written, and the change is told. */
import { userInfo } from 'node:os';
import type { Archive } from '../../../archive/archive.js';
import type { HoldChange } from '../../../archive/change-holds.js';
import type { Commit } from '../../../archive/log/commit.js';
import type { HoldRecord } from '../../../archive/log/hold-history.js';
import { openArchive } from '../../../archive/open-archive.js';
import { systemRandom } from '../../../base/random.js';
import { systemClock } from '../../../base/system-clock.js';
import { UsageError } from '../../../base/usage-error.js';
import type { holdAddSettings } from '../../../config/hold-settings.js';
import { openStorage } from '../../../storage/open-storage.js';
import type { Invocation } from '../../command.js';
import { readSigner } from '../../input/key-file.js';
import { storageOptionsOf } from '../../input/storage-options.js';
import { jsonLine } from '../../json-line.js';
import { heldSubject, holdFacts } from './hold-text.js';

type Changing = Invocation<Omit<typeof holdAddSettings, 'allowUnknownHolds'>>;

/** @throws {UsageError} no reason is given */
export async function changeHolds(
  { settings, positionals, terminal }: Changing,
  done: string,
  change: (archive: Archive, given: HoldChange) => Promise<Commit>,
): Promise<void> {
  const { user: users, session: sessions, reason, by = loginName() } = settings;
  if (reason === undefined) {
    throw new UsageError('--reason is missing; allowed is a text that tells why, such as a case');
  }
  const signer = await readSigner(settings.signingKey);
  const storage = openStorage(positionals['archive'] ?? '', storageOptionsOf(settings));
  try {
    const runtime = { clock: systemClock, random: systemRandom };
    const archive = await openArchive(storage, { ...runtime, signer });
    const commit = await change(archive, { users, sessions, reason, by, ...runtime });
    const changed = archive.index.holds.filter((hold) => isOf(hold, commit));
    terminal.stdout.write(
      settings.json
        ? jsonLine({ commit: commit.number, holds: changed.map(holdFacts) })
        : `${done} in commit ${commit.number}: ${changed.map(heldSubject).join(', ')}\n`,
    );
  } finally {
    await storage.close();
  }
}

/** @throws {UsageError} a container's user may have a number and no name */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    throw new UsageError('--by is missing, and this process has no login name to take instead');
  }
}

function isOf({ commit, release }: HoldRecord, { number }: Commit): boolean {
  return commit === number || release?.commit === number;
}
