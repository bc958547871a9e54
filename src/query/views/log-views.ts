/** Views of what only the log knows. */
import { type Snapshot } from '../snapshot.js';
import { type View } from './table-views.js';
import { instantText, sqlText } from '../sql-text.js';
import { valuesView } from './values-view.js';
import { FIRST_ARCHIVED } from './view-parts.js';
import { rowId } from '../../model/ids.js';

const VARCHAR = 'VARCHAR';

/** Sessions that the service no longer has. */
export function absentSessionsView(snapshots: readonly Snapshot[]): View {
  const isUnion = snapshots.length > 1;
  const columns = {
    user_id: VARCHAR,
    session_id: VARCHAR,
    gone_at: 'TIMESTAMPTZ',
    deleted_at: 'TIMESTAMPTZ',
    ...(isUnion ? { archive: VARCHAR } : {}),
  };
  const rows = snapshots.flatMap(({ location, gone }) =>
    gone.map(({ user, session, goneAt, deletedAt }) => {
      const cells = [sqlText(user), sqlText(session), instantText(goneAt), instantText(deletedAt)];
      return [...cells, ...(isUnion ? [sqlText(location)] : [])];
    }),
  );
  return valuesView('absent_sessions', columns, rows);
}

export function logViews(snapshots: readonly Snapshot[]): View[] {
  const again = snapshots.flatMap(({ listedAgain }) =>
    listedAgain.map(({ user, session, countsFor }) => [
      idText(user),
      idText(session),
      idText(countsFor),
    ]),
  );
  const people = new Map(snapshots.flatMap(({ people: some }) => [...some]));
  const accepted = snapshots.flatMap(({ acceptedGaps }) =>
    acceptedGaps.flatMap(({ user, session, job, role, block_index: block, file_index: file }) =>
      job === null || role === null || block === null || file === null
        ? []
        : [[idText(user), idText(session), idText(job), sqlText(role), `${block}`, `${file}`]],
    ),
  );
  const doubted = snapshots.flatMap((snapshot) =>
    snapshot.doubted.map(({ user, session, reason, isAccepted }) => [
      idText(user),
      idText(session),
      sqlText(reason),
      String(isAccepted),
    ]),
  );
  return [
    valuesView(
      'doubted_sessions',
      { user_id: VARCHAR, session_id: VARCHAR, reason: VARCHAR, is_accepted: 'BOOLEAN' },
      doubted,
    ),
    valuesView(
      'sessions_listed_again',
      { user_id: VARCHAR, session_id: VARCHAR, counts_for: VARCHAR },
      again,
    ),
    valuesView(
      'user_spellings',
      { user_id: VARCHAR, person: VARCHAR },
      [...people].map(([user, person]) => [idText(user), idText(person)]),
    ),
    valuesView(
      'accepted_losses',
      {
        user_id: VARCHAR,
        session_id: VARCHAR,
        job_id: VARCHAR,
        role: VARCHAR,
        block_index: 'INTEGER',
        file_index: 'INTEGER',
      },
      accepted,
    ),
  ];
}

/** By the log where it was asked; else by time, so that a script that is kept does not hide for ever what failed. */
export function openJobsView(snapshots: readonly Snapshot[]): View {
  const name = 'open_jobs';
  if (snapshots.some(({ openJobs }) => openJobs === undefined)) {
    return { name, select: OPEN_BY_TIME };
  }
  const rows = snapshots.flatMap(({ openJobs = [] }) =>
    openJobs.map(({ user, session, job }) => [idText(user), idText(session), idText(job)]),
  );
  return valuesView(name, { user_id: VARCHAR, session_id: VARCHAR, job_id: VARCHAR }, rows);
}

/** By days: of `exported_at` a pseudonymised copy has no more. */
const OPEN_BY_TIME = `SELECT user_id, session_id, job_id
FROM current_jobs
LEFT JOIN (
      ${FIRST_ARCHIVED}
) AS first USING (session_id, job_id)
WHERE NOT is_settled
  AND coalesce(created_at, archived_at) AT TIME ZONE 'UTC' >= date_trunc('day', now() AT TIME ZONE 'UTC') - INTERVAL 1 DAY`;

/** An id as rows have it. */
function idText(id: string): string {
  return sqlText(rowId(id));
}
