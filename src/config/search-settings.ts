/** Settings of `search` and `query`, and the selection of jobs for `evidence` and `report`. */
import { systemClock } from '../base/runtime.js';
import { PERIOD_LIMITS, absolutePeriodText, parseFrom, parseTo } from '../model/times/period.js';
import { choice, choices, list, parsed, text, whole, size, toggle } from './setting.js';
import { storageSettings } from './storage-settings.js';

/** Settings of `query`. */
export const querySettings = {
  sqlFile: text({ name: 'sql-file', describe: 'Read the SQL from this file; - for stdin' }),
  usersFile: text({
    name: 'users-file',
    describe:
      'A file of users (CSV with a column user_id) whose other columns, such as team, are joined to the view users; - is stdin',
  }),
  output: choice(
    {
      name: 'output',
      describe:
        'The format of the rows; default: by the ending of --to, or table on a terminal, or csv',
    },
    ['table', 'csv', 'json', 'jsonl', 'parquet', 'xlsx'],
  ),
  to: text({ name: 'to', describe: 'Write the rows to this file, completely or not at all' }),
  excel: toggle({
    name: 'excel',
    describe:
      "Write CSV that Excel reads as UTF-8: with a byte order mark, and times such as 2026-01-08 22:01:48 (UTC, without fractions of a second). A German or French Excel also needs --csv-separator ';', or --to FILE.xlsx",
  }),
  csvSeparator: choice(
    {
      name: 'csv-separator',
      describe:
        "The separator of CSV fields; ';' with --excel also writes numbers as 1,5; default: a comma",
    },
    [',', ';', 'tab'],
  ),
  maxRows: whole(
    { name: 'max-rows', describe: 'Rows shown in a table; 0 for all', default: 100 },
    [0, 1_000_000_000],
  ),
  views: toggle({
    name: 'views',
    describe: 'Print the SQL of all tables and views, for another DuckDB',
  }),
  memoryBytes: size({
    name: 'memory',
    describe: 'The memory limit of the query; what needs more goes to --temp-dir',
    default: '1GB',
  }),
  maxFetchBytes: size({
    name: 'max-fetch',
    describe: 'The most to download from an archive on S3',
    default: '10GB',
  }),
  temporaryDirectory: text({
    name: 'temp-dir',
    describe: 'The directory for temporary files; default: that of the system',
  }),
  ...storageSettings,
};

const IN_WORDS =
  'default: all. table: the first rows of tables, up to 16 KB of each; file: the names of tables and images; name: the session name';

/** An absolute text, which means the same tomorrow: it is written into packs and reports. */
function limitOf(parse: (text: string) => bigint | undefined) {
  return (given: string): string | undefined => {
    const limit = absolutePeriodText(given, systemClock.now());
    return parse(limit) === undefined ? undefined : limit;
  };
}

/** Flags only: a forgotten user or period in a variable or a file would hide jobs. */
export const selectionSettings = {
  users: list({ name: 'user', describe: 'Only this user; repeatable', isFlagOnly: true }),
  sessions: list({
    name: 'session',
    describe:
      'Only this session: its id, six or more characters of its beginning, or its exact name; repeatable',
    isFlagOnly: true,
  }),
  from: parsed(
    {
      name: 'from',
      describe:
        'From this day, month, year or time on (UTC), such as 2026-03, 2026-03-31T08:00Z, last-month or 30d (30 days ago)',
      isFlagOnly: true,
    },
    PERIOD_LIMITS,
    limitOf(parseFrom),
  ),
  to: parsed(
    {
      name: 'to',
      describe:
        'Up to and including this day, month or year (UTC), or a word as in --from; with a time: before that time',
      isFlagOnly: true,
    },
    PERIOD_LIMITS,
    limitOf(parseTo),
  ),
  match: text({
    name: 'match',
    describe: 'Only jobs with these words, in the syntax of jobvault search',
    isFlagOnly: true,
  }),
  in: choices(
    {
      name: 'in',
      describe: `Where to look for the words of --match; ${IN_WORDS}`,
      isFlagOnly: true,
    },
    ['question', 'answer', 'code', 'table', 'file', 'name'],
  ),
  undated: choice(
    {
      name: 'undated',
      describe:
        'With --from or --to: include or exclude jobs of unknown date; default: they are left out and named, and the exit code is 3',
      isFlagOnly: true,
    },
    ['include', 'exclude'],
  ),
};

/** The flag of what is made for people to read: pack, report and workbook. */
export const allowLostFiles = toggle({
  name: 'allow-lost-files',
  describe:
    'Go on without tables and images that the archive has lost; each is named, and the exit code is 3; default: a lost file ends the command',
  isFlagOnly: true,
});

/** For what is made for a request. */
export const forRequestSettings = {
  request: text({
    name: 'request',
    describe:
      'The open request (its name or id) for which you make this; it names the users, words and period',
    isFlagOnly: true,
  }),
  by: text({
    name: 'by',
    describe:
      'The person who makes this: it names them, and so does the record of the request; default with --request: your login name',
    isFlagOnly: true,
  }),
};

export const searchSettings = {
  users: selectionSettings.users,
  sessions: selectionSettings.sessions,
  from: selectionSettings.from,
  to: selectionSettings.to,
  undated: selectionSettings.undated,
  in: {
    ...selectionSettings.in,
    describe: `Where to look for the words; ${IN_WORDS}`,
  },
  limit: whole(
    {
      name: 'limit',
      describe: 'How many hits to list; all are counted',
      default: 20,
      isFlagOnly: true,
    },
    [0, 1_000_000],
  ),
  maxFetchBytes: querySettings.maxFetchBytes,
  temporaryDirectory: querySettings.temporaryDirectory,
  ...storageSettings,
};
