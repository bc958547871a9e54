/** What an export says in the log when it has ended: each is told once. */
import type { Archive } from '../archive/archive.js';
import type { Logger } from '../base/logger.js';
import { withMore } from '../base/text/with-more.js';
import type { RunId, UserId } from '../model/ids.js';
import { clockGapText } from '../service/clock-gap.js';
import { erasedBeforeText, type ExportSummary } from './export-summary.js';
import { usersWhoLeft } from './users/users-who-left.js';

/** Users that are named in a message: a company may have many. */
const NAMED_USERS = 20;

/** What came back after an erasure, and a clock that is wrong. */
export function warnOfRun(logger: Logger, summary: ExportSummary): void {
  const back = erasedBeforeText(summary);
  const { erased_before: known = 0, maybe_erased_before: maybe = 0 } = summary;
  if (back !== null) logger.warn({ sessions: known + maybe }, back);
  const { clock_gap_ms: gapMs } = summary;
  const off = clockGapText(gapMs);
  if (off === undefined) return;
  logger.warn(
    { gap_ms: gapMs },
    `this machine's clock is ${off}: set it (NTP). Times in the archive and in metrics are wrong by as much; jobs settle by the earlier of both clocks, and begin anew once they agree`,
  );
}

/** Users of whom the service lists nothing any more, and those of whom it has never listed anything. */
export function warnOfUsers(
  logger: Logger,
  { newly_vanished: vanished, newly_never_seen: neverSeen }: ExportSummary,
): void {
  if (vanished.length > 0) {
    const { count, users, names } = namedIn(vanished);
    logger.warn(
      { count, users },
      `the service lists nothing any more of users who had sessions: ${names}; what is archived of them stays (this is told once)`,
    );
  }
  if (neverSeen.length > 0) {
    const { count, users } = namedIn(neverSeen);
    logger.warn(
      { count, users },
      'the service lists no session of these users, and none is archived: check the ids, unless everything was erased (this is told once)',
    );
  }
}

/**
 * Users whom the list of users has no more. They are told: otherwise nobody notices a list that was cut.
 *
 * @param listed without those of whom nothing was ever seen: another spelling of theirs is not read under it
 */
export async function usersLeftOut(
  archive: Archive,
  run: RunId,
  listed: readonly UserId[],
): Promise<readonly UserId[]> {
  await archive.index.refresh();
  const leftOut = await usersWhoLeft(archive, run, listed);
  if (leftOut.length === 0) return leftOut;
  const { count, users, names } = namedIn(leftOut);
  archive.logger.warn(
    { count, users },
    `not read, because the list of users has them no more: ${names}; what is archived of them stays (this is told once)`,
  );
  return leftOut;
}

function namedIn(all: readonly string[]) {
  const [count, users] = [all.length, all.slice(0, NAMED_USERS)];
  return { count, users, names: withMore(users, count) };
}
