/** Settings of `report`. */
import { parseCursor } from '../model/ids.js';
import { choice, parsed, text, whole, toggle } from './setting.js';
import { allowLostFiles, forRequestSettings, selectionSettings } from './search-settings.js';
import { recordSigningSettings } from './settings.js';
import { storageSettings } from './storage-settings.js';

export const reportSettings = {
  ...storageSettings,
  out: text({
    name: 'out',
    describe:
      'The directory of the report; default: <archive>-report; an earlier report there is brought up to date',
    isFlagOnly: true,
  }),
  ...selectionSettings,
  title: text({ name: 'title', describe: 'The title of the page' }),
  allowLostFiles,
  ...forRequestSettings,
  ...recordSigningSettings,
};

/** Settings of `workbook`. */

export const workbookSettings = {
  ...storageSettings,
  users: selectionSettings.users,
  usersFile: text({
    name: 'users-file',
    describe: 'Only these users: one a line, or CSV with a column user_id; - is stdin',
    isFlagOnly: true,
  }),
  from: selectionSettings.from,
  to: selectionSettings.to,
  match: selectionSettings.match,
  in: selectionSettings.in,
  undated: selectionSettings.undated,
  out: text({
    name: 'out',
    describe: 'The workbook, FILE.xlsx or s3://bucket/FILE.xlsx; an existing one is replaced',
    isFlagOnly: true,
    required: true,
  }),
  allowLostFiles,
  ...forRequestSettings,
  ...recordSigningSettings,
};

/** Settings of `show`. */

export const showSettings = {
  ...storageSettings,
  user: text({ name: 'user', describe: 'Only sessions of this user', isFlagOnly: true }),
  maxRows: whole(
    { name: 'max-rows', describe: 'List at most this many sessions; 0 for all', default: 50 },
    [0, 1_000_000],
  ),
};

/** Settings of `files`. */

export const filesSettings = {
  ...storageSettings,
  checksums: toggle({
    name: 'checksums',
    describe:
      'Instead of a table: every object of the archive with its SHA-256, for sha256sum -c and rclone checksum',
    isFlagOnly: true,
  }),
};

/** Settings of `changes`. */

/** Flags only: a beginning forgotten in a file would hide changes. */
export const changesSettings = {
  since: parsed(
    {
      name: 'since',
      describe:
        'What came after this commit, as ARCHIVE:COMMIT (another archive refuses it) or a number alone; 0 for everything. The last line says the next one. A new pseudonymised copy is another archive: begin again with 0, or compare --keys',
      isFlagOnly: true,
    },
    'ARCHIVE:COMMIT, as the last line of changes says, or a whole number from 0 to 999999999999',
    (text) => (parseCursor(text) ? text : undefined),
  ),
  sinceTime: {
    ...selectionSettings.from,
    name: 'since-time',
    describe:
      'Instead: what was committed from this day, month, year or time on (UTC), such as yesterday or 12h (12 hours ago)',
  },
  keys: toggle({
    name: 'keys',
    describe: 'Instead: every key that the archive has rows of, to find out what was erased',
    isFlagOnly: true,
  }),
  output: choice(
    {
      name: 'output',
      describe: 'The format of the changes; default: table on a terminal, else jsonl',
      isFlagOnly: true,
    },
    ['table', 'jsonl'],
  ),
  ...storageSettings,
};
