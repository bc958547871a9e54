/** Settings of `changes`. */
import { choice, toggle, whole } from './setting.js';
import { selectionSettings } from './search-settings.js';
import { storageSettings } from './storage-settings.js';

/** Flags only: a beginning forgotten in a file would hide changes. */
export const changesSettings = {
  since: whole(
    {
      name: 'since',
      describe: 'What came after this commit; 0 for everything. The last line says the next one',
      isFlagOnly: true,
    },
    [0, 999_999_999_999],
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
