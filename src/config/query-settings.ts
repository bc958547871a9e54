/** What `query` can be told beside the archive and the SQL. */
import { choice, size, text, toggle, whole } from './setting.js';
import { storageSettings } from './storage-settings.js';

export const querySettings = {
  sqlFile: text({ name: 'sql-file', describe: 'Read the SQL from this file; - for stdin' }),
  output: choice(
    {
      name: 'output',
      describe:
        'How rows are printed; default: as the name after --to ends, table on a terminal, else csv',
    },
    ['table', 'csv', 'json', 'jsonl', 'parquet'],
  ),
  to: text({ name: 'to', describe: 'Write the rows to this file, whole or not at all' }),
  maxRows: whole(
    { name: 'max-rows', describe: 'Rows that a table shows; 0 for all', default: 100 },
    [0, 1_000_000_000],
  ),
  views: toggle({
    name: 'views',
    describe: 'Print the SQL of all tables and current_* views, to paste elsewhere',
    default: false,
  }),
  memory: size({
    name: 'memory',
    describe: 'What the query may hold in memory; the rest goes to --temp-dir',
    default: '1GB',
  }),
  maxFetch: size({
    name: 'max-fetch',
    describe: 'What may be copied here of an archive on S3',
    default: '10GB',
  }),
  tempDir: text({
    name: 'temp-dir',
    describe: "Where such copies go for a while; default: the system's place",
  }),
  ...storageSettings,
};
