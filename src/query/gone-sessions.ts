/** Makes the view `gone_sessions`: sessions that the service no longer has, from the log. */
import type { GoneSession } from './snapshot.js';
import { sqlText } from './sql-text.js';
import type { View } from './table-views.js';

export function goneSessionsView(gone: readonly GoneSession[]): View {
  const columns = 'user_id, session_id, gone_at, deleted_at';
  const rows = gone.map(
    ({ user, session, goneAt, deletedAt }) =>
      `(${sqlText(user)}, ${sqlText(session)}, ${instant(goneAt)}, ${instant(deletedAt)})`,
  );
  const none = `(NULL::VARCHAR, NULL::VARCHAR, NULL::TIMESTAMPTZ, NULL::TIMESTAMPTZ)`;
  const values = `SELECT * FROM (VALUES\n  ${(rows.length > 0 ? rows : [none]).join(',\n  ')}\n) AS gone(${columns})`;
  return {
    name: 'gone_sessions',
    select: rows.length > 0 ? values : `${values}\nWHERE false`,
  };
}

function instant(iso: string | null): string {
  return iso === null ? 'NULL::TIMESTAMPTZ' : `TIMESTAMPTZ ${sqlText(iso)}`;
}
