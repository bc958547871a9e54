/** Settings of `search`, and the selection of jobs for `evidence` and `report`. */
import { PERIOD_TEXTS, parseFrom, parseTo } from '../model/period.js';
import { querySettings } from './query-settings.js';
import { choice, choices, list, parsed, text, whole } from './setting.js';
import { storageSettings } from './storage-settings.js';

const IN_WORDS =
  'default: all. table is the file names of tables and images, not their contents; name is the session name';

/** Flags only: a forgotten user or period in a variable or a file would hide jobs. */
export const selectionSettings = {
  users: list({ name: 'user', describe: 'Only this user; repeatable', isFlagOnly: true }),
  sessions: list({ name: 'session', describe: 'Only this session; repeatable', isFlagOnly: true }),
  from: parsed(
    { name: 'from', describe: 'From this day, month, year or time on (UTC)', isFlagOnly: true },
    PERIOD_TEXTS,
    (given) => (parseFrom(given) === undefined ? undefined : given),
  ),
  to: parsed(
    {
      name: 'to',
      describe: 'Up to and including this day, month or year (UTC); with a time: before that time',
      isFlagOnly: true,
    },
    PERIOD_TEXTS,
    (given) => (parseTo(given) === undefined ? undefined : given),
  ),
  match: text({
    name: 'match',
    describe: 'Only jobs with these words, in the syntax of jobvault search',
    isFlagOnly: true,
  }),
  in: choices(
    {
      name: 'in',
      describe: `Where the words of --match are looked for; ${IN_WORDS}`,
      isFlagOnly: true,
    },
    ['question', 'answer', 'code', 'table', 'name'],
  ),
  undated: choice(
    {
      name: 'undated',
      describe:
        'Jobs of unknown date, with --from or --to: take them in, or do without them; default: left out, named, and exit code 3',
      isFlagOnly: true,
    },
    ['include', 'exclude'],
  ),
};

export const searchSettings = {
  users: selectionSettings.users,
  from: selectionSettings.from,
  to: selectionSettings.to,
  undated: selectionSettings.undated,
  in: {
    ...selectionSettings.in,
    describe: `What is searched; ${IN_WORDS}`,
  },
  limit: whole(
    { name: 'limit', describe: 'Hits to list; all are counted', default: 20, isFlagOnly: true },
    [0, 1_000_000],
  ),
  maxFetchBytes: querySettings.maxFetchBytes,
  temporaryDirectory: querySettings.temporaryDirectory,
  ...storageSettings,
};
