/** What `prune` and `export --delete-archived` can be told. Source: design.md, section 5. */
import { duration, list, text, toggle, whole } from './setting.js';

/** Which sessions are to go. */
export const pruneRuleSettings = {
  all: toggle({ name: 'all', describe: 'Delete every session that may go', default: false }),
  olderThan: duration({
    name: 'older-than',
    describe: 'Delete only sessions whose last change was seen this long ago: 30d',
  }),
  keep: whole(
    { name: 'keep', describe: "Keep each user's so many most recently changed sessions" },
    [0, 1_000_000],
  ),
  freeSlots: whole(
    {
      name: 'free-slots',
      describe: 'Delete only as many, oldest change first, as leave so many of 150 free',
    },
    [1, 150],
  ),
  holdFile: text({
    name: 'hold-file',
    describe: 'What must stay: a user id or a session id a line',
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
  user: list({ name: 'user', describe: 'Only sessions of this user; repeatable' }),
  session: list({ name: 'session', describe: 'Only this session; repeatable' }),
  plan: text({
    name: 'plan',
    describe: 'Save the plan to this file; with --execute carry it out (within 24 hours)',
  }),
};
