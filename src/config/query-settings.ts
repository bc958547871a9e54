/** Settings of `query`. */
import { choice, size, text, toggle, whole } from './setting.js';
import { storageSettings } from './storage-settings.js';

export const querySettings = {
  sqlFile: text({ name: 'sql-file', describe: 'Read the SQL from this file; - for stdin' }),
  output: choice(
    {
      name: 'output',
      describe:
        'The format of the rows; default: by the ending of --to, table on a terminal, else csv',
    },
    ['table', 'csv', 'json', 'jsonl', 'parquet', 'xlsx'],
  ),
  to: text({ name: 'to', describe: 'Write the rows to this file, completely or not at all' }),
  excel: toggle({
    name: 'excel',
    describe:
      "CSV that Excel reads as UTF-8: it begins with a byte order mark; an Excel that expects semicolons (German, French) needs --csv-separator ';', too, or --to FILE.xlsx",
  }),
  csvSeparator: choice(
    {
      name: 'csv-separator',
      describe:
        "What stands between the fields of CSV; ';' with --excel also writes numbers as 1,5; default: a comma",
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
    describe: 'The memory limit of the query; the rest goes to --temp-dir',
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
