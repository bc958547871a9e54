/** The view `runs`: a row for each run that has committed something. */
import type { RunStatus } from '../../archive/state/run-history.js';
import { instantText, sqlText } from '../sql-text.js';
import type { View } from './table-views.js';
import { textOrNull, typesOf } from './users-view.js';
import { valuesView } from './values-view.js';

/** DuckDB's type and the meaning of each column, in order. */
export const RUNS_COLUMNS = {
  run_id: ['VARCHAR', 'The run, as run_id of the rows that it wrote'],
  kind: ['VARCHAR', 'export, prune, compact, erase, hold, ...'],
  began_at: [
    'TIMESTAMPTZ',
    'When it began: of what it has read whole, all is here that was asked before then; of the one run of a pseudonymised copy, when the copy was made',
  ],
  ended_at: ['TIMESTAMPTZ', 'When its last commit was made'],
  scope: [
    'VARCHAR',
    'Whom an export was for: all (with --shard, all users of the shard), named users, or part of them (some sessions, a search, what has gaps); null of other kinds',
  ],
  shard: ['VARCHAR', 'The shard of all users that an export was for (3/16); null without --shard'],
  queued_run: [
    'VARCHAR',
    'The run of a fleet that an export is a part of, by its name (enqueue --run): each worker has a row of its own, and so has the end of the run; null of others',
  ],
  is_complete: [
    'BOOLEAN',
    'Whether an export has read everybody it was to read, and nothing is missing, not even by decision, nor of somebody whom it does not read; null where its commits do not say that, as those of an export of part of what users have, or do so no more after the erasure of a user',
  ],
  outcome: [
    'VARCHAR',
    'complete, incomplete-by-decision, gaps, not_all_read or doubtful_list, as the summary of an export says it; of a run that failed or died after it saved something, not_all_read; null as is_complete. An export of everybody has gaps, too, where somebody whom it does not read has an open one, as one who left the list',
  ],
  first_commit: ['BIGINT', 'The number of its first commit'],
  last_commit: ['BIGINT', 'The number of its last commit'],
  jobs: [
    'BIGINT',
    'Versions of questions that it wrote; of a session that two spellings of a user list, under each',
  ],
} as const;

interface RunsOf {
  readonly location: string;
  readonly runs: readonly RunStatus[];
}

export function runsView(archives: readonly RunsOf[], isUnion: boolean): View {
  const rows = archives.flatMap(({ location, runs }) =>
    runs.map((run) => {
      const isExport = run.kind === 'export';
      const outcome = isExport ? run.outcome : null;
      const cells = [
        sqlText(run.run),
        sqlText(run.kind),
        instantText(run.began),
        instantText(run.ended),
        textOrNull(isExport ? run.scope : null),
        textOrNull(run.shard),
        textOrNull(run.queue),
        outcome === null ? 'NULL::BOOLEAN' : String(outcome === 'complete'),
        textOrNull(outcome),
        String(run.commits[0]),
        String(run.commits[1]),
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
