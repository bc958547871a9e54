/** What `prune` and `export --delete-archived` can be told. */
import { exportSettings } from './settings.js';
import { duration, list, text, toggle, whole } from './setting.js';

/** What stays, whatever else is said. */
export const holdSettings = {
  // a list of holds that somebody has configured is not to be lost by naming another one
  holdFile: {
    ...list({
      name: 'hold-file',
      describe:
        'What must stay: a user id, a session id or user,session a line; # begins a comment; repeatable, all of them bind',
    }),
    addsUp: true,
  },
  allowUnknownHolds: toggle({
    name: 'allow-unknown-holds',
    describe: 'Go on where a line of the hold file matches nothing in the archive',
    default: false,
  }),
};

/** Which sessions are to go. */
export const pruneRuleSettings = {
  all: toggle({ name: 'all', describe: 'Delete every session that may go', default: false }),
  olderThan: duration({
    name: 'older-than',
    describe:
      "Delete only sessions in which nothing has happened for so long: 30d (by the newest job's id, or when the last change was first seen)",
  }),
  keep: whole(
    {
      name: 'keep',
      describe:
        "Keep each user's so many newest sessions; those that cannot be told apart all stay",
    },
    [0, 1_000_000],
  ),
  freeSlots: whole(
    {
      name: 'free-slots',
      describe: 'Delete only as many, the oldest first, as leave so many of 150 free',
    },
    [1, 150],
  ),
  ...holdSettings,
  acceptUnfetched: list({
    name: 'accept-unfetched',
    describe: 'Kinds of files that need not be fetched: MARKDOWN_IMAGE; repeatable',
  }),
  acceptSuspicious: toggle({
    name: 'accept-suspicious',
    describe: 'Delete sessions, too, with archived files whose content is doubtful',
    default: false,
  }),
  maxDelete: whole(
    { name: 'max-delete', describe: 'Delete at most so many in one run', default: 1000 },
    [1, 1_000_000],
  ),
};

export const yesSetting = toggle({
  name: 'yes',
  describe: 'Delete without asking, on a terminal, too',
  default: false,
});

export const deleteArchivedSetting = toggle({
  name: 'delete-archived',
  describe: 'Afterwards delete from the service what a rule selects and the archive provably holds',
  default: false,
});

export const pruneSettings = {
  execute: toggle({
    name: 'execute',
    describe: 'Delete; without it, only say what could be deleted',
    default: false,
  }),
  ...pruneRuleSettings,
  yes: yesSetting,
  user: list({ name: 'user', describe: 'Only sessions of this user; repeatable' }),
  session: list({ name: 'session', describe: 'Only this session; repeatable' }),
  fileConcurrency: exportSettings.fileConcurrency,
  maxFileSize: exportSettings.maxFileSize,
  storageBaseUrl: exportSettings.storageBaseUrl,
  allowPrivateNetwork: exportSettings.allowPrivateNetwork,
  plan: text({
    name: 'plan',
    describe: 'Save the plan to this file; with --execute carry it out (within 24 hours)',
  }),
};
