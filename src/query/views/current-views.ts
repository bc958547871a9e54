/** `current_*`: the newest version of every job and session, and of what belongs to them. */
import { FOLDED_COLUMNS, FOLDED_TABLES } from '../../model/tables.js';
import { BLOCK_VIEWS } from './block-views.js';
import type { View } from './table-views.js';

const OF_JOBS = [
  'jobs',
  'blocks',
  'sources',
  'proposed_questions',
  'artifacts',
  'raw_jobs',
] as const;

const JOB_KEY = ['user_id', 'session_id', 'job_id'] as const;
const SESSION_KEY = ['user_id', 'session_id'] as const;

interface CurrentViewsOf {
  /** Whether the tables have the rows of several archives, and a column `archive`. */
  readonly isUnion?: boolean;
  /** Whether a user lies in several of them: then each session and job is taken from the archive that read it last. */
  readonly hasShared?: boolean;
  /** Whether `sessions_listed_again` has rows that are left out here. */
  readonly hasListedAgain?: boolean;
}

/** In the order in which they must be created. */
export function currentViews({
  isUnion = false,
  hasShared = false,
  hasListedAgain = false,
}: CurrentViewsOf = {}): View[] {
  const once = hasListedAgain ? `\n${WITHOUT_LISTED_AGAIN}` : '';
  return [
    { name: 'current_sessions', select: currentSessions(hasShared, once) },
    ...OF_JOBS.map((table) => ({
      name: `current_${table}`,
      select: `SELECT rows_of.*${withoutWords(table)}\nFROM "${table}" AS rows_of\n${joinNewest(OF_NEWEST_JOBS, hasShared)}${once}${table === 'jobs' ? NOT_WITHDRAWN : ''}`,
    })),
    ...BLOCK_VIEWS.map(({ name, select }) => ({
      name: `current_${name}`,
      select: select('current_blocks', isUnion ? ['archive'] : []),
    })),
    { name: 'current_datasets', select: isUnion ? CURRENT_DATASETS_OF_SEVERAL : CURRENT_DATASETS },
  ];
}

/** A version that withdraws a job has no rows in the other tables. */
const NOT_WITHDRAWN = '\nWHERE NOT rows_of.is_withdrawn';

/** The folded words are for searches alone. */
function withoutWords(table: string): string {
  return FOLDED_TABLES.includes(table) ? ` EXCLUDE (${FOLDED_COLUMNS.join(', ')})` : '';
}

const WITHOUT_LISTED_AGAIN = `ANTI JOIN sessions_listed_again AS again
  ON ${matching(['rows_of', 'again'], SESSION_KEY)}`;

interface Newest {
  readonly table: string;
  readonly key: readonly string[];
  readonly version: string;
}

const OF_NEWEST_JOBS: Newest = { table: 'jobs', key: JOB_KEY, version: 'job_version' };
const OF_NEWEST_SESSIONS: Newest = {
  table: 'sessions',
  key: SESSION_KEY,
  version: 'session_version',
};

/** A join instead of a window function: it holds only keys in memory, not texts. */
function joinNewest({ table, key, version }: Newest, hasShared: boolean): string {
  const keys = key.join(', ');
  const ofEach = `SELECT ${keys}, max(${version}) AS ${version}
  FROM ${table}
  GROUP BY ${keys}`;
  const ofAll = `SELECT ${keys}, arg_max(archive, place) AS archive, arg_max(${version}, place) AS ${version}
  FROM (
    SELECT archive, ${keys}, max(${version}) AS ${version}, (max(exported_at), archive) AS place
    FROM ${table}
    GROUP BY archive, ${keys}
  )
  GROUP BY ${keys}`;
  const columns = [...key, version, ...(hasShared ? ['archive'] : [])];
  return `JOIN (
  ${hasShared ? ofAll : ofEach}
) AS newest
  ON ${matching(['rows_of', 'newest'], columns)}`;
}

function currentSessions(hasShared: boolean, once: string): string {
  return `SELECT
  rows_of.*,
  absent.gone_at,
  absent.deleted_at,
  absent.gone_at IS NOT NULL AND absent.deleted_at IS NULL AS is_gone,
  absent.deleted_at IS NOT NULL AS is_deleted
FROM sessions AS rows_of
${joinNewest(OF_NEWEST_SESSIONS, hasShared)}${once}
LEFT JOIN absent_sessions AS absent
  ON ${matching(['rows_of', 'absent'], [...SESSION_KEY, ...(hasShared ? ['archive'] : [])])}`;
}

/** Datasets have no version column: every run that archives datasets writes all of them. */
const CURRENT_DATASETS = `SELECT * EXCLUDE (place)
FROM (
  SELECT *, row_number() OVER (PARTITION BY dataset_id ORDER BY exported_at DESC, run_id DESC) AS place
  FROM datasets
)
WHERE place = 1`;

/** Datasets are of the service, not of a user: every archive of it may have them. */
const CURRENT_DATASETS_OF_SEVERAL = `SELECT * EXCLUDE (place)
FROM (
  SELECT rows_of.*, row_number() OVER (
    PARTITION BY own.service, own.project, rows_of.dataset_id
    ORDER BY rows_of.exported_at DESC, rows_of.run_id DESC, rows_of.archive
  ) AS place
  FROM datasets AS rows_of
  JOIN archives AS own ON rows_of.archive = own.archive
)
WHERE place = 1`;

function matching([a, b]: readonly [string, string], columns: readonly string[]): string {
  return columns.map((column) => `${a}.${column} = ${b}.${column}`).join('\n  AND ');
}
