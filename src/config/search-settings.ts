/** Settings of `search`, and the selection of jobs for `evidence` and `report`. */
import { PERIOD_TEXTS, parseFrom, parseTo } from '../model/period.js';
import { querySettings } from './query-settings.js';
import { choices, flagOnly, list, parsed, text, whole } from './setting.js';
import { storageSettings } from './storage-settings.js';

/** Flags only: a forgotten period in a variable or a file would hide jobs. */
export const selectionSettings = {
  from: flagOnly(
    parsed(
      { name: 'from', describe: 'Only jobs asked on or after this day (UTC)' },
      PERIOD_TEXTS,
      (given) => (parseFrom(given) === undefined ? undefined : given),
    ),
  ),
  to: flagOnly(
    parsed(
      {
        name: 'to',
        describe: 'Only jobs asked on or before this day (UTC); a time of day is itself excluded',
      },
      PERIOD_TEXTS,
      (given) => (parseTo(given) === undefined ? undefined : given),
    ),
  ),
  match: flagOnly(
    text({
      name: 'match',
      describe: 'Only jobs with these words, in the syntax of jobvault search',
    }),
  ),
};

export const searchSettings = {
  user: flagOnly(list({ name: 'user', describe: 'Only this user; repeatable' })),
  from: selectionSettings.from,
  to: selectionSettings.to,
  in: flagOnly(
    choices(
      {
        name: 'in',
        describe:
          'What is searched; default: all. table is the file names of tables and images, not their contents; name is the session name',
      },
      ['question', 'answer', 'code', 'table', 'name'],
    ),
  ),
  limit: flagOnly(
    whole(
      { name: 'limit', describe: 'Hits to list; all are counted', default: 20 },
      [0, 1_000_000],
    ),
  ),
  maxFetch: querySettings.maxFetch,
  tempDir: querySettings.tempDir,
  ...storageSettings,
};
