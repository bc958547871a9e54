/** What `search` can be told, and which jobs `evidence` and `report` are to have. */
import { PERIOD_TEXTS, parseFrom, parseTo } from '../model/period.js';
import { querySettings } from './query-settings.js';
import { choices, flagOnly, list, parsed, text, whole } from './setting.js';
import { storageSettings } from './storage-settings.js';

/** Neither a variable nor the file gives them: a period that somebody has forgotten hides what is there. */
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
        describe: 'Only jobs asked up to and on this day (UTC); a time is the first one left out',
      },
      PERIOD_TEXTS,
      (given) => (parseTo(given) === undefined ? undefined : given),
    ),
  ),
  match: flagOnly(
    text({
      name: 'match',
      describe: 'Only jobs with these words; written as those of jobvault search',
    }),
  ),
};

export const searchSettings = {
  user: flagOnly(
    list({ name: 'user', describe: 'Only what is archived of this user; repeatable' }),
  ),
  from: selectionSettings.from,
  to: selectionSettings.to,
  in: flagOnly(
    choices(
      {
        name: 'in',
        describe:
          'Where words are looked for; default: everywhere. Of tables and images the file names are searched (table), not what is in them; name is that of a session',
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
