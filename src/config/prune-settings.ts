/** Settings of `prune` and `export --delete-archived`. */
import { exportSettings } from './settings.js';
import { age, list, text, toggle, whole } from './setting.js';

/** Holds that override every rule. */
export const holdSettings = {
  // a hold file in the configuration must not be lost by naming another one
  holdFile: list({
    name: 'hold-file',
    describe:
      'A file of holds: one user id, session id or user,session per line; # begins a comment; repeatable, all of them apply',
    addsUp: true,
  }),
  allowUnknownHolds: toggle({
    name: 'allow-unknown-holds',
    describe: 'Continue when a line of the hold file matches nothing in the archive',
  }),
  allowEmptyHolds: toggle({
    name: 'allow-empty-holds',
    describe: 'Continue when a hold file has no line, or only a heading',
  }),
};

/** Rules that select the sessions to delete. */
export const pruneRuleSettings = {
  all: toggle({ name: 'all', describe: 'Delete every session that may go' }),
  olderThanMs: age({
    name: 'older-than',
    describe:
      "Delete only sessions without activity for this long, such as 30d (by the newest job's id, or when the last change was first seen)",
  }),
  keep: whole(
    {
      name: 'keep',
      describe:
        'Keep this many newest sessions of each user; sessions whose order is unknown all stay',
    },
    [0, 1_000_000],
  ),
  freeSlots: whole(
    {
      name: 'free-slots',
      describe: "Delete the oldest sessions until this many of the user's 150 slots are free",
    },
    [1, 150],
  ),
  ...holdSettings,
  acceptUnfetched: list({
    name: 'accept-unfetched',
    describe: 'Kinds of files that may be missing, such as MARKDOWN_IMAGE; repeatable',
  }),
  acceptSuspicious: toggle({
    name: 'accept-suspicious',
    describe: 'Also delete sessions with archived files whose content is suspicious',
  }),
  trustThisClock: toggle({
    name: 'trust-this-clock',
    describe:
      "Delete by age although the service's answers have no Date to check this machine's clock with",
  }),
  maxDelete: whole(
    { name: 'max-delete', describe: 'Delete at most this many sessions in one run', default: 1000 },
    [1, 1_000_000],
  ),
};

/** Of every command that deletes or erases. A flag only: a file that says yes would say it every time. */
export const yesSetting = toggle({
  name: 'yes',
  describe: 'Skip the question. Required when there is no terminal',
  isFlagOnly: true,
});

export const deleteArchivedSetting = toggle({
  name: 'delete-archived',
  describe:
    'After the export, delete from the service what a rule selects and the archive provably holds',
});

export const pruneSettings = {
  dryRun: toggle({ name: 'dry-run', describe: 'Only show what would be deleted' }),
  ...pruneRuleSettings,
  yes: yesSetting,
  user: list({ name: 'user', describe: 'Only sessions of this user; repeatable' }),
  session: list({ name: 'session', describe: 'Only this session; repeatable' }),
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
