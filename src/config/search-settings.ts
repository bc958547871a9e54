/** What `search` can be told, and which jobs `evidence` and `report` are to have. */
import { PERIOD_TEXTS, parseFrom, parseTo } from '../model/period.js';
import { querySettings } from './query-settings.js';
import { choices, list, parsed, text, whole } from './setting.js';
import { storageSettings } from './storage-settings.js';

/** Neither a variable nor the file gives them: a period that somebody has forgotten hides what is there. */
export const selectionSettings = {
  from: {
    ...parsed(
      { name: 'from', describe: 'Only jobs asked on or after this day (UTC)' },
      PERIOD_TEXTS,
      (given) => (parseFrom(given) === undefined ? undefined : given),
    ),
    isFlagOnly: true,
  },
  to: {
    ...parsed(
      {
        name: 'to',
        describe: 'Only jobs asked up to and on this day (UTC); a time is the first one left out',
      },
      PERIOD_TEXTS,
      (given) => (parseTo(given) === undefined ? undefined : given),
    ),
    isFlagOnly: true,
  },
  match: {
    ...text({
      name: 'match',
      describe: 'Only jobs with these words; written as those of jobvault search',
    }),
    isFlagOnly: true,
  },
};

export const searchSettings = {
  user: list({ name: 'user', describe: 'Only what is archived of this user; repeatable' }),
  from: selectionSettings.from,
  to: selectionSettings.to,
  in: {
    ...choices(
      {
        name: 'in',
        describe:
          'Where words are looked for; default: everywhere. Of tables their names are searched',
      },
      ['question', 'answer', 'code', 'table'],
    ),
    isFlagOnly: true,
  },
  limit: {
    ...whole(
      { name: 'limit', describe: 'Hits to list; all are counted', default: 20 },
      [0, 1_000_000],
    ),
    isFlagOnly: true,
  },
  maxFetch: querySettings.maxFetch,
  tempDir: querySettings.tempDir,
  ...storageSettings,
};
