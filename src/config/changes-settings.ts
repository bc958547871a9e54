/** Settings of `changes`. */
import { parseCursor } from '../model/cursor.js';
import { choice, parsed, toggle } from './setting.js';
import { selectionSettings } from './search-settings.js';
import { storageSettings } from './storage-settings.js';

/** Flags only: a beginning forgotten in a file would hide changes. */
export const changesSettings = {
  since: parsed(
    {
      name: 'since',
      describe:
        'List what came after this commit, as ARCHIVE:COMMIT (another archive refuses it) or a number alone; 0 for everything. The last line has the next one. A new pseudonymised copy is another archive: begin again with 0, or compare --keys',
      isFlagOnly: true,
    },
    'ARCHIVE:COMMIT, as the last line of changes says, or a whole number from 0 to 999999999999',
    (text) => (parseCursor(text) ? text : undefined),
  ),
  sinceTime: {
    ...selectionSettings.from,
    name: 'since-time',
    describe:
      'Instead: list what was committed since this day, month, year or time (UTC), such as yesterday or 12h (12 hours ago)',
  },
  keys: toggle({
    name: 'keys',
    describe: 'Instead: list every key of which the archive has rows, to find out what was erased',
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
