/** The tables and views of `query` with their columns, types and meanings. */
import { nearest } from '../base/text/short-texts.js';
import { UsageError } from '../base/error.js';
import { FOLDED_COLUMNS, TABLES } from '../model/tables.js';
import { BLOCK_VIEWS } from './views/block-views.js';
import { currentViews } from './views/current-views.js';
import { QUESTION_VIEWS } from './views/question-views.js';
import { RUNS_COLUMNS } from './views/runs-view.js';
import { AS_OF_COPY, USERS_COLUMNS } from './views/users-view.js';
import { DUCKDB_TYPES } from './views/table-views.js';

export interface DictionaryColumn {
  readonly name: string;
  /** DuckDB's. */
  readonly type: string;
  readonly isKey: boolean;
  readonly meaning: string;
}

export interface DictionaryEntry {
  readonly name: string;
  readonly meaning: string;
  /** The table whose rows it has; undefined of a view that counts. */
  readonly table?: string;
  /** In order. */
  readonly columns: readonly DictionaryColumn[];
}

const PREFIX = 'current_';

/** Why such a view may have fewer rows than the tables. */
const ONCE = '; what two spellings of a user list counts once';

/** What only the log knows. */
const GONE: readonly DictionaryColumn[] = [
  dictionaryColumn('gone_at', 'TIMESTAMPTZ', 'When a complete listing first lacked the session'),
  dictionaryColumn('deleted_at', 'TIMESTAMPTZ', 'When its deletion from the service was recorded'),
];
const GONE_OR_DELETED: readonly DictionaryColumn[] = [
  dictionaryColumn(
    'is_gone',
    'BOOLEAN',
    'Whether the service no longer lists it, without a deletion of ours',
  ),
  dictionaryColumn(
    'is_deleted',
    'BOOLEAN',
    'Whether it was deleted from the service after it was archived',
  ),
];

function dictionaryColumn(name: string, type: string, meaning: string): DictionaryColumn {
  return { name, type, isKey: false, meaning };
}

function columnsIn(
  columns: Readonly<Record<string, readonly [type: string, meaning: string]>>,
  key?: string,
): DictionaryColumn[] {
  return Object.entries(columns).map(([name, [type, meaning]]) => {
    return { name, type, isKey: name === key, meaning };
  });
}

/** Tables, then views. */
export function dataDictionary(): DictionaryEntry[] {
  const tables = TABLES.map((table) => ({
    name: table.name,
    meaning: table.meaning,
    table: table.name,
    columns: table.columns.map(({ name, type, isKey, meaning }) => {
      return { name, type: DUCKDB_TYPES[type], isKey, meaning };
    }),
  }));
  const ofBlocks = BLOCK_VIEWS.map(({ name, meaning, columns }) => ({
    name,
    meaning,
    columns: columns.map((column) => ({ ...column, type: DUCKDB_TYPES[column.type] })),
  }));
  const columnsOf: ColumnsOf = (name) =>
    [...tables, ...ofBlocks].find((table) => table.name === name)?.columns ?? [];
  const current = currentViews().map(({ name }) => currentEntry(name, columnsOf));
  const questions = QUESTION_VIEWS.map(({ name, describe, columns }) => ({
    name,
    meaning: describe,
    columns: columnsIn(columns),
  }));
  return [...tables, ...ofBlocks, ...current, ...entriesOfLog(columnsOf), ...questions];
}

/** The columns of a table or a view of blocks. */
type ColumnsOf = (name: string) => readonly DictionaryColumn[];

function currentEntry(name: string, columnsOf: ColumnsOf): DictionaryEntry {
  const table = name.slice(PREFIX.length);
  const more = table === 'sessions' ? [...GONE, ...GONE_OR_DELETED] : [];
  const tableColumns = columnsOf(table).filter((column) => !FOLDED_COLUMNS.includes(column.name));
  const ofUsers = columnsOf(table).some((column) => column.name === 'user_id');
  const meaning = `The newest versions of the rows of ${table}${ofUsers ? ONCE : ''}`;
  const isCounted = BLOCK_VIEWS.some((view) => view.name === table);
  return { name, meaning, columns: [...tableColumns, ...more], ...(isCounted ? {} : { table }) };
}

/** What the log says of users, runs, sessions, files and jobs. */
function entriesOfLog(columnsOf: ColumnsOf): DictionaryEntry[] {
  const columnsNamed = (table: string, names: RegExp) =>
    columnsOf(table).filter(({ name }) => names.test(name));
  const ofUser = columnsNamed('sessions', /^user_id$/);
  const ofSession = columnsNamed('sessions', /^(user|session)_id$/);
  const ofJob = columnsNamed('jobs', /^(user|session|job)_id$/);
  const ofFile = columnsNamed('artifacts', /^(role|block_index|file_index)$/);
  return [
    {
      name: 'users',
      meaning:
        'Users whom exports have read, and those of a users file (--users-file), whose other columns come after these',
      columns: columnsIn(USERS_COLUMNS, 'user_id'),
    },
    {
      name: 'runs',
      meaning:
        'Runs that have committed something, with what the newest data are as of; a pseudonymised copy has one, that which made it',
      columns: columnsIn(RUNS_COLUMNS, 'run_id'),
    },
    {
      name: 'absent_sessions',
      meaning:
        'Sessions that the service no longer has, from the log: deleted by prune (deleted_at), or gone; one that two spellings of a user listed stands there under the one for which it counts',
      columns: [...ofSession, ...GONE],
    },
    {
      name: 'doubted_sessions',
      meaning:
        'Sessions in doubt: what is archived of them may not be what the service has, or may be of another session, which then counts twice; status counts each reason; one that two spellings of a user list stands there under the one for which it counts',
      columns: [
        ...ofSession,
        dictionaryColumn('reason', 'VARCHAR', 'Why it is in doubt'),
        dictionaryColumn('is_accepted', 'BOOLEAN', 'Whether somebody has accepted it'),
      ],
    },
    {
      name: 'sessions_listed_again',
      meaning:
        'Sessions that two spellings of a user list, under the spelling for which they do not count: current_* and v_* leave them out there, as every other output does; the tables have them; a pseudonymised copy has each of them once',
      columns: [
        ...ofSession,
        dictionaryColumn(
          'counts_for',
          'VARCHAR',
          'The spelling for which the session counts: the one that still lists it, of several the one that the newest run has listed to the end, of one run where it has more questions or was read whole, else the first in the alphabet',
        ),
      ],
    },
    {
      name: 'user_spellings',
      meaning: `Users who are the same person as another spelling, since both list the same session, that an export has listed later; ${AS_OF_COPY}`,
      columns: [...ofUser, dictionaryColumn('person', 'VARCHAR', 'That spelling, as in users')],
    },
    {
      name: 'accepted_losses',
      meaning:
        'Files that are not archived, and whose loss somebody has accepted (jobvault gap accept); of a session that two spellings of a user list, under the one for which it counts',
      columns: [...ofJob, ...ofFile],
    },
    {
      name: 'open_jobs',
      meaning:
        'Jobs whose answer may still come or change: those that the log has not settled now, whatever is_settled of their rows says, of conversations that the service still has; in the views that query --views prints, by time: not settled when they were read, and asked (without a time of their own: first archived) today or yesterday (UTC)',
      columns: ofJob,
    },
  ];
}

/** @param more what is to be said of a wrong name beside that @throws {UsageError} there is no such table or view */
export function dictionaryEntry(name: string, more = ''): DictionaryEntry {
  const all = dataDictionary();
  const found = all.find((entry) => entry.name === name);
  if (found) return found;
  const names = all.map((entry) => entry.name);
  const guess = nearest(name, names);
  const hint = guess === undefined ? '' : `did you mean "${guess}"? `;
  throw new UsageError(
    `there is no table or view "${name}"${more}; ${hint}tables and views: ${names.join(', ')}`,
  );
}
