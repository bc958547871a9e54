/** The `current_*` views of a warehouse: the newest version of everything, deleted sessions marked. */
import type { TableSchema } from '../../src/model/table-schema.js';
import { datasetsTable, TABLES } from '../../src/model/tables.js';
import { BLOCK_VIEWS } from '../../src/query/views/block-views.js';
import { PARTITION } from './dialect.js';

export interface CurrentView {
  readonly name: string;
  readonly meaning: string;
  readonly select: string;
}

/** Names a table or a view before it in a query: `jobvault.jobs`, or a dbt source or model. */
export type TableReference = (table: string) => string;

const JOB = ['user_id', 'session_id', 'job_id'] as const;
const SESSION = ['user_id', 'session_id'] as const;

interface CurrentOptions {
  /** A name in a query, with quotes where it is a keyword. */
  readonly quoted: (name: string) => string;
  /** `sessions_listed_again`, where it is loaded: what two spellings of a user list counts once. */
  readonly listedAgain?: string | undefined;
}

export function currentViewsOf(
  refer: TableReference,
  { quoted, listedAgain }: CurrentOptions,
): CurrentView[] {
  const once = listedAgain === undefined ? [] : [notListedAgain('rows_of', listedAgain)];
  const ofJobs = TABLES.filter(({ columns }) => columns.some(({ name }) => name === 'job_version'));
  return [
    {
      name: 'current_sessions',
      meaning:
        'The newest version of every session; is_deleted where it was deleted from the service',
      select: currentSessions(refer, once),
    },
    ...ofJobs.map(({ name }) => ({
      name: `current_${name}`,
      meaning: name === 'jobs' ? 'The newest version of every job' : `${name} of the newest jobs`,
      select: ofNewestJobs(name, refer, once),
    })),
    ...BLOCK_VIEWS.map(({ name, meaning, select }) => ({
      name: `current_${name}`,
      meaning,
      select: select(refer('current_blocks')),
    })),
    {
      name: 'current_datasets',
      meaning: 'Every dataset as the newest export saw it',
      select: currentDatasets(refer, quoted),
    },
  ];
}

/** @param a what the row is called */
function notListedAgain(a: string, listedAgain: string): string {
  return `NOT EXISTS (SELECT 1 FROM ${listedAgain} AS again WHERE again.user_id = ${a}.user_id AND again.session_id = ${a}.session_id)`;
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `\nWHERE ${conditions.join('\n  AND ')}`;
}

function ofNewestJobs(table: string, refer: TableReference, once: readonly string[]): string {
  return `SELECT rows_of.*
FROM ${refer(table)} AS rows_of
JOIN (
  SELECT ${JOB.join(', ')}, MAX(job_version) AS job_version
  FROM ${refer('jobs')}
  GROUP BY ${JOB.join(', ')}
) AS newest
  ON ${matching('rows_of', 'newest', [...JOB, 'job_version'])}${where([...(table === 'jobs' ? [NOT_WITHDRAWN] : []), ...once])}`;
}

/** A version that withdraws a job has no rows in the other tables. */
const NOT_WITHDRAWN = 'NOT rows_of.is_withdrawn';

/** A session that was read again after its deletion is not deleted. */
function currentSessions(refer: TableReference, once: readonly string[]): string {
  return `SELECT
  rows_of.*,
  gone.deleted_at,
  gone.deleted_at IS NOT NULL AS is_deleted
FROM ${refer('sessions')} AS rows_of
JOIN (
  SELECT ${SESSION.join(', ')}, MAX(session_version) AS session_version
  FROM ${refer('sessions')}
  GROUP BY ${SESSION.join(', ')}
) AS newest
  ON ${matching('rows_of', 'newest', [...SESSION, 'session_version'])}
LEFT JOIN (
  SELECT ${SESSION.join(', ')}, MAX(deleted_at) AS deleted_at
  FROM ${refer('deletions')}
  WHERE outcome <> 'already-gone'
  GROUP BY ${SESSION.join(', ')}
) AS gone
  ON ${matching('rows_of', 'gone', SESSION)}
  AND gone.deleted_at >= rows_of.exported_at${where(once)}`;
}

function currentDatasets(refer: TableReference, quoted: (name: string) => string): string {
  const columns = [...namesOf(datasetsTable), PARTITION.name].map(quoted);
  return `SELECT ${columns.join(', ')}
FROM (
  SELECT
    rows_of.*,
    ROW_NUMBER() OVER (PARTITION BY dataset_id ORDER BY exported_at DESC, run_id DESC) AS place
  FROM ${refer('datasets')} AS rows_of
) AS ranked
WHERE place = 1`;
}

function namesOf({ columns }: TableSchema): string[] {
  return columns.map(({ name }) => name);
}

function matching(a: string, b: string, columns: readonly string[]): string {
  return columns.map((column) => `${a}.${column} = ${b}.${column}`).join('\n  AND ');
}
