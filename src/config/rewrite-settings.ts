/** Settings of `compact`, `erase`, `expire` and `copy`. */
import { verifySettings } from './verify-settings.js';
import { holdSettings, yesSetting } from './prune-settings.js';
import { forRequestSettings, selectionSettings } from './search-settings.js';
import { age, durationOrNone, list, size, text, toggle, whole } from './setting.js';
import { commitSettings, exportSettings } from './settings.js';
import { storageSettings, targetSettings } from './storage-settings.js';

export const compactSettings = {
  targetBytes: size({
    name: 'target-size',
    describe: 'The approximate size of merged files',
    default: '256MB',
  }),
  graceMs: durationOrNone({
    name: 'grace',
    describe: 'How long replaced files stay for those who read them',
    default: '7d',
  }),
  parquetCodec: exportSettings.parquetCodec,
  ...commitSettings,
  ...storageSettings,
};

export const eraseSettings = {
  users: list({
    name: 'user',
    describe: 'Erase everything of this user; repeatable',
    isFlagOnly: true,
  }),
  sessions: list({ name: 'session', describe: 'Erase this session; repeatable', isFlagOnly: true }),
  request: {
    ...forRequestSettings.request,
    describe:
      'The open request (its name) that this is for: its users go, or the sessions with jobs of its words and period',
  },
  undated: {
    ...selectionSettings.undated,
    describe:
      'With --request and its period: jobs of unknown date go, too, or stay; default: they stay, and exit code 3',
  },
  reason: text({
    name: 'reason',
    describe:
      'Who asked, and why, for the receipt; must not name what is erased; default: the reason of --request',
  }),
  by: text({
    name: 'by',
    describe:
      'The person who erases, for the receipt; must not name what is erased; default: your login name',
  }),
  list: toggle({
    name: 'list',
    describe: 'Erase nothing; list the receipts of all erasures and expiries',
    isFlagOnly: true,
  }),
  dryRun: toggle({ name: 'dry-run', describe: 'Only count what would be erased' }),
  yes: yesSetting,
  ...holdSettings,
  noWait: exportSettings.noWait,
  parquetCodec: exportSettings.parquetCodec,
  ...commitSettings,
  ...storageSettings,
};

/** What selects sessions is a flag only: in a file, `older-than` is a setting of prune. */
export const expireSettings = {
  olderThanMs: age({
    name: 'older-than',
    describe: 'Erase sessions in which everything is older than this: 7y, 90d',
    isFlagOnly: true,
    required: true,
  }),
  dryRun: toggle({ name: 'dry-run', describe: 'Only show what would be erased' }),
  users: list({
    name: 'user',
    describe: 'Only sessions of this user; repeatable',
    isFlagOnly: true,
  }),
  reason: text({
    name: 'reason',
    describe: 'Why, for the receipt; must not name what is erased; default: the age',
  }),
  by: eraseSettings.by,
  yes: yesSetting,
  trustThisClock: toggle({
    name: 'trust-this-clock',
    describe:
      "Count the age from this machine's clock alone, whatever the service's Date says of it",
    isFlagOnly: true,
  }),
  ...holdSettings,
  noWait: exportSettings.noWait,
  parquetCodec: exportSettings.parquetCodec,
  ...commitSettings,
  ...storageSettings,
};

export const copySettings = {
  concurrency: whole(
    { name: 'concurrency', describe: 'Objects copied and read back at a time', default: 16 },
    [1, 256],
  ),
  sample: verifySettings.sample,
  pseudonymise: text({
    name: 'pseudonymise',
    describe:
      'Make a copy without names and texts instead, for analysts; the file has a secret key of at least 32 bytes. It is made as a whole: a second run into the same copy is refused, so a nightly one goes to a new place and is then swapped',
    isFlagOnly: true,
  }),
  keepText: toggle({
    name: 'keep-text',
    describe:
      'With --pseudonymise: keep questions, answers and code, with the names that are in them',
    isFlagOnly: true,
  }),
  ...storageSettings,
  ...targetSettings,
};
