/** The view `runs`: a row for each run that has committed something. */
import type { RunStatus } from '../archive/state/run-history.js';
import { instantText, sqlText } from './sql-text.js';
import type { View } from './table-views.js';
import { typesOf } from './users-view.js';
import { valuesView } from './values-view.js';

/** DuckDB's type and the meaning of each column, in order. */
export const RUNS_COLUMNS = {
  run_id: ['VARCHAR', 'The run, as run_id of the rows that it wrote'],
  kind: ['VARCHAR', 'export, prune, compact, erase, hold, ...'],
  began_at: ['TIMESTAMPTZ', 'When its first commit was made'],
  ended_at: ['TIMESTAMPTZ', 'When its last commit was made: its data are as of then'],
  scope: [
    'VARCHAR',
    'Whom an export was for: all, named users, or part of all (a shard, some sessions); all of other kinds',
  ],
  is_complete: [
    'BOOLEAN',
    'Whether an export has read everybody it was to read, without a gap; null where its commits do not say that',
  ],
  outcome: ['VARCHAR', 'complete, gaps, not_all_read or doubtful_list; null as is_complete'],
  first_commit: ['BIGINT', 'The number of its first commit'],
  last_commit: ['BIGINT', 'The number of its last commit'],
  users: ['BIGINT', 'Users whom it has read'],
  users_complete: ['BIGINT', 'Those of them who were archived without a gap'],
  jobs: ['BIGINT', 'Versions of questions that it wrote'],
} as const;

interface RunsOf {
  readonly location: string;
  readonly runs: readonly RunStatus[];
}

export function runsView(archives: readonly RunsOf[], isUnion: boolean): View {
  const rows = archives.flatMap(({ location, runs }) =>
    runs.map((run) => {
      const outcome = run.kind === 'export' ? run.outcome : null;
      const cells = [
        sqlText(run.run),
        sqlText(run.kind),
        instantText(run.began),
        instantText(run.ended),
        sqlText(run.scope),
        outcome === null ? 'NULL::BOOLEAN' : String(outcome === 'complete'),
        outcome === null ? 'NULL::VARCHAR' : sqlText(outcome),
        String(run.commits[0]),
        String(run.commits[1]),
        String(run.users),
        String(run.complete),
        String(run.jobs),
      ];
      return [...cells, ...(isUnion ? [sqlText(location)] : [])];
    }),
  );
  return valuesView(
    'runs',
    { ...typesOf(RUNS_COLUMNS), ...(isUnion ? { archive: 'VARCHAR' } : {}) },
    rows,
  );
}
