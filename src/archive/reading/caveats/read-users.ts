/** What qualifies users as a whole, as a report of them has it, from the log alone: no row and no file is read, and no title. */
import { rowId } from '../../../model/ids.js';
import type { ArchiveView, ViewedUser } from '../archive-view.js';
import { remarksByLog, remarksIn, type Remark } from './job-remarks.js';
import { MOST_NAMED } from './named-places.js';
import { Reading, type Searched } from './reading.js';
import { shownHolds } from '../requests/shown-holds.js';
import type { SessionSummary } from '../../state/session-summary.js';

/**
 * @param searched what was searched for, or the period; undefined where the view has all jobs
 * @throws {IntegrityError} the log is damaged
 */
export async function readUsers(view: ArchiveView, searched?: Searched): Promise<Reading> {
  const reading = Reading.of(view, searched, shownHolds(await view.bindingHolds(), undefined));
  for await (const user of view.summaries()) await readUser(user, { view, reading });
  return reading;
}

/** Adds what is known of a user to the reading. The state of the user is read only while jobs are still named. */
export async function readUser(
  viewed: ViewedUser<SessionSummary>,
  { view, reading }: { readonly view: ArchiveView; readonly reading: Reading },
): Promise<void> {
  const { user, sessions } = viewed;
  const { archive, head, selection } = view;
  reading.add(viewed);
  const counts = sessions.flatMap(({ state }) => remarksIn(state));
  if (counts.length === 0) return;
  const areNamed = counts.some(([kind]) => reading.remarks[kind].count < MOST_NAMED);
  if (!areNamed && !selection.chosen) {
    for (const [kind, count] of counts) reading.remarks[kind].addUnnamed(count);
    return;
  }
  const { sessions: states } = await archive.states.loadAsOf(user, head?.number ?? 0);
  for (const { session } of sessions) {
    const remarks: Remark[] = [];
    const state = states.get(session);
    for (const [id, job] of state?.jobs ?? []) {
      if (!state || !selection.hasJob(user, session, id)) continue;
      remarks.push(...remarksByLog(rowId(id), job, state));
    }
    reading.addRemarks({ user, session, sessionName: null }, remarks);
  }
}
