/** Settings of what deletes or rewrites: `prune`, `export --delete-archived`, `compact`, `erase`, `expire` and `copy`. */
import { exportSettings } from './export-settings.js';
import { commitSettings, recordSigningSettings } from './signing-settings.js';
import { age, list, text, toggle, whole, durationOrNone, size } from './setting.js';
import { verifySettings } from './verify-settings.js';
import { forRequestSettings, selectionSettings } from './search-settings.js';
import { storageSettings, targetSettings } from './storage-settings.js';

/** Holds that override every rule. */
export const holdSettings = {
  // a hold file in the configuration must not be lost by naming another one
  holdFile: list({
    name: 'hold-file',
    section: 'deletion',
    inNewFile: true,
    describe:
      'A file of holds: a user id, a session id or user,session per line; # begins a comment; repeatable, all files apply',
    addsUp: true,
  }),
  allowUnknownHolds: toggle({
    name: 'allow-unknown-holds',
    section: 'deletion',
    isRare: true,
    describe: 'Continue if a line of the hold file matches nothing in the archive',
  }),
  allowEmptyHolds: toggle({
    name: 'allow-empty-holds',
    section: 'deletion',
    isRare: true,
    describe: 'Continue if a hold file has no line, or only a heading',
  }),
};

/** Rules that select the sessions to delete. */
export const pruneRuleSettings = {
  all: toggle({
    name: 'all',
    section: 'deletion',
    describe: 'Delete every session that may be deleted',
  }),
  olderThanMs: age({
    name: 'older-than',
    section: 'deletion',
    describe:
      "Delete only sessions in which everything is older than this, such as 30d (by the times in the jobs' ids, or when they were first seen)",
  }),
  keep: whole(
    {
      name: 'keep',
      section: 'deletion',
      describe:
        'Keep this many of the newest sessions of each user; sessions of unknown order all stay',
    },
    [0, 1_000_000],
  ),
  freeSlots: whole(
    {
      name: 'free-slots',
      section: 'deletion',
      describe: "Delete the oldest sessions until this many of the user's 150 slots are free",
    },
    [1, 150],
  ),
  ...holdSettings,
  acceptUnfetched: list({
    name: 'accept-unfetched',
    section: 'deletion',
    isRare: true,
    describe: 'Kinds of files that may be missing, such as MARKDOWN_IMAGE; repeatable',
  }),
  acceptSuspicious: toggle({
    name: 'accept-suspicious',
    section: 'deletion',
    isRare: true,
    describe: 'Also delete sessions with archived files whose content is suspicious',
  }),
  trustThisClock: toggle({
    name: 'trust-this-clock',
    section: 'deletion',
    isRare: true,
    describe:
      "Delete by age even if the service's answers have no Date with which to check this machine's clock",
  }),
  maxDelete: whole(
    {
      name: 'max-delete',
      section: 'deletion',
      inNewFile: true,
      describe: 'Delete at most this many sessions in one run',
      default: 1000,
    },
    [1, 1_000_000],
  ),
};

/** The yes to every command that deletes or erases. A flag only: a file that says yes would say it every time. */
export const yesSetting = toggle({
  name: 'yes',
  section: 'deletion',
  describe: 'Skip the question. Required when there is no terminal',
  isFlagOnly: true,
});

export const deleteArchivedSetting = toggle({
  name: 'delete-archived',
  section: 'deletion',
  describe:
    'After the export, delete from the service what a rule selects and the archive provably holds',
});

export const pruneSettings = {
  dryRun: toggle({
    name: 'dry-run',
    section: 'scope',
    describe: 'Only show what would be deleted',
  }),
  ...pruneRuleSettings,
  yes: yesSetting,
  user: list({
    name: 'user',
    section: 'users',
    describe: 'Only sessions of this user; repeatable',
  }),
  session: list({ name: 'session', section: 'scope', describe: 'Only this session; repeatable' }),
  fileConcurrency: exportSettings.fileConcurrency,
  maxFileBytes: exportSettings.maxFileBytes,
  storageBaseUrl: exportSettings.storageBaseUrl,
  allowPrivateNetwork: exportSettings.allowPrivateNetwork,
  savePlan: text({
    name: 'save-plan',
    describe: 'Save the plan to this file, and delete nothing',
    isFlagOnly: true,
  }),
  plan: text({
    name: 'plan',
    describe: 'Carry out the plan in this file, within 24 hours',
    isFlagOnly: true,
  }),
};

export const compactSettings = {
  targetBytes: size({
    name: 'target-size',
    describe: 'The approximate size of merged files',
    default: '256MB',
  }),
  graceMs: durationOrNone({
    name: 'grace',
    describe: 'How long replaced files stay, for programs that still read them',
    default: '7d',
  }),
  parquetCodec: exportSettings.parquetCodec,
  ...commitSettings,
  ...storageSettings,
};

export const eraseSettings = {
  users: list({
    name: 'user',
    section: 'users',
    describe: 'Erase everything of this user; repeatable; not with --session or --request',
    isFlagOnly: true,
  }),
  sessions: list({
    name: 'session',
    section: 'scope',
    describe: 'Erase this session; repeatable; not with --user or --request',
    isFlagOnly: true,
  }),
  request: {
    ...forRequestSettings.request,
    describe:
      'Erase for this open request (its name or id): its users, or the sessions with jobs that match its words and period',
  },
  undated: {
    ...selectionSettings.undated,
    describe:
      'With the period of --request: erase jobs of unknown date (include) or not (exclude); default: they stay, and the exit code is 3',
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
    describe:
      'Erase nothing; list the receipts of all erasures and expiries, and every suppression',
    isFlagOnly: true,
  }),
  suppress: toggle({
    name: 'suppress',
    describe:
      'Exports skip from then on whom this erases, a user in every spelling. The archive keeps a keyed digest, which says whether a name that somebody has already is on the list',
    isFlagOnly: true,
  }),
  suppressOnly: toggle({
    name: 'suppress-only',
    describe:
      'Erase nothing; exports skip from then on these users, in every spelling, or sessions, which the archive does not have: erased before, or never archived (needs --reason)',
    isFlagOnly: true,
  }),
  unsuppress: toggle({
    name: 'unsuppress',
    describe:
      'Erase nothing; exports archive these users, in every spelling, or sessions again; shows a plan and asks (needs --reason)',
    isFlagOnly: true,
  }),
  exceptHeld: toggle({
    name: 'except-held',
    describe:
      'Keep what is on hold and erase the rest; plan, receipt and request say how much of each. Default: nothing is erased if any of it is on hold',
    isFlagOnly: true,
  }),
  dryRun: toggle({
    name: 'dry-run',
    section: 'scope',
    describe: 'Only count what would be erased',
  }),
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
    section: 'deletion',
    describe: 'Erase sessions in which everything is older than this: 7y, 90d',
    isFlagOnly: true,
  }),
  minRetentionMs: age({
    name: 'min-retention',
    describe:
      'Erase nothing; record in the archive that everything is kept at least this long: expire then refuses a shorter --older-than (needs --reason)',
    isFlagOnly: true,
  }),
  dryRun: toggle({ name: 'dry-run', section: 'scope', describe: 'Only show what would be erased' }),
  users: list({
    name: 'user',
    section: 'users',
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
    section: 'deletion',
    isRare: true,
    describe: "Count the age only from this machine's clock, whatever the service's Date says",
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
    {
      name: 'concurrency',
      section: 'pace',
      inNewFile: true,
      describe: 'Objects copied and read back at a time',
      default: 16,
    },
    [1, 256],
  ),
  sample: verifySettings.sample,
  pseudonymise: text({
    name: 'pseudonymise',
    describe:
      'Make a copy without names and texts, for analysts; this file has a secret key of at least 32 bytes. Such a copy cannot be brought up to date: make each new one in an empty place. Each is another archive, for which an old cursor of changes is not valid (begin again with changes --since 0, or compare --keys)',
    isFlagOnly: true,
  }),
  keepText: toggle({
    name: 'keep-text',
    describe: 'With --pseudonymise: keep questions, answers and code, with the names in them',
    isFlagOnly: true,
  }),
  keepTimes: toggle({
    name: 'keep-times',
    describe: 'With --pseudonymise: keep the times of questions; default: only their days',
    isFlagOnly: true,
  }),
  request: {
    ...forRequestSettings.request,
    describe:
      'With --pseudonymise: copy only what this open request (its name or id) is about, without what was decided to be withheld or redacted; the request records the copy',
  },
  by: forRequestSettings.by,
  undated: {
    ...selectionSettings.undated,
    describe:
      'With the period of --request: copy jobs of unknown date (include) or not (exclude); default: they are left out, and the exit code is 3',
  },
  ...recordSigningSettings,
  ...storageSettings,
  ...targetSettings,
};
