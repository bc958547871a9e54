/** Settings of what people note in the log: holds, accepted gaps, requests. */
import { forRequestSettings, searchSettings, selectionSettings } from './search-settings.js';
import { yesSetting } from './rewrite-settings.js';
import { choices, list, text, toggle, whole } from './setting.js';
import { commitSettings, recordSigningSettings } from './signing-settings.js';
import { storageSettings } from './storage-settings.js';

const subjectSettings = {
  users: list({
    name: 'user',
    describe: 'This user, with all sessions, as a separate hold; repeatable',
    isFlagOnly: true,
  }),
  sessions: list({
    name: 'session',
    describe: 'This session, of any user, as a separate hold; repeatable',
    isFlagOnly: true,
  }),
};

const changeSettings = {
  ...subjectSettings,
  reason: text({ name: 'reason', describe: 'Why: a matter, a case number', required: true }),
  by: text({ name: 'by', describe: 'The person who does it; default: your login name' }),
  ...commitSettings,
  ...storageSettings,
};

export const holdAddSettings = {
  ...changeSettings,
  reason: text({
    name: 'reason',
    describe: 'Why: a matter, a case number; required without --request',
  }),
  by: { ...changeSettings.by, describe: 'The person who sets it; default: your login name' },
  askedBy: text({
    name: 'asked-by',
    describe:
      'The person who asked for it; default: who asked for the request, or without --request who sets the hold',
  }),
  request: {
    ...forRequestSettings.request,
    describe:
      'Hold the users of this open request (its name or id), for its reason; with --session only those sessions. Packs, workbooks and reports for other requests then show neither the reason nor who asked; those for no request show every hold. A hold without --request is shown in all of them',
  },
  allowUnknown: toggle({
    name: 'allow-unknown-holds',
    isRare: true,
    describe: 'Also hold users and sessions that the archive does not have',
  }),
};

export const holdReleaseSettings = {
  ...changeSettings,
  reason: { ...changeSettings.reason, describe: 'Why it ends: the matter is closed' },
  by: {
    ...changeSettings.by,
    describe: 'The person who releases it; default: your login name',
  },
  request: {
    ...forRequestSettings.request,
    describe: 'Release only the holds of this request (its name or id), which may be closed',
  },
  holds: list({
    name: 'hold',
    describe: 'This hold: its id, as jobvault hold list shows it; repeatable',
    isFlagOnly: true,
  }),
  all: toggle({
    name: 'all-holds',
    describe: 'Release every hold on them if there are several',
  }),
  dryRun: toggle({ name: 'dry-run', describe: 'Only show what would be released and freed' }),
  yes: yesSetting,
};

/** The words of gaps, those of files first. */
const GAP_STATUSES = [
  'expired',
  'forbidden',
  'missing',
  'rejected',
  'unresolved',
  'failed',
  'not_fetched',
  'refused',
  'incomplete',
  'doubtful',
] as const;

export const gapListSettings = {
  ...storageSettings,
  users: list({ name: 'user', describe: 'Only gaps of this user; repeatable', isFlagOnly: true }),
  maxRows: whole(
    { name: 'max-rows', describe: 'List at most this many gaps; 0 for all', default: 100 },
    [0, 1_000_000],
  ),
};

/** Settings of `gap accept` and `gap withdraw`. */
export const gapAcceptSettings = {
  sessions: list({
    name: 'session',
    describe: 'Every gap that this session has now (withdraw: every accepted one); repeatable',
    isFlagOnly: true,
  }),
  users: list({
    name: 'user',
    describe: 'Every gap of the sessions of this user; shown first; repeatable',
    isFlagOnly: true,
  }),
  statuses: choices(
    {
      name: 'status',
      describe: 'Only gaps of this status, as gap list names it; shown first; repeatable',
      isFlagOnly: true,
    },
    GAP_STATUSES,
  ),
  job: text({ name: 'job', describe: 'Only gaps of this job of the session', isFlagOnly: true }),
  content: text({
    name: 'content',
    describe:
      'Instead of gaps: accept the image with this SHA-256, although several places have its bytes (a logo)',
    isFlagOnly: true,
  }),
  reason: text({ name: 'reason', describe: 'Why: what you found out, a ticket', required: true }),
  by: text({
    name: 'by',
    describe: 'The person who accepts the gaps or withdraws that; default: your login name',
  }),
  dryRun: toggle({
    name: 'dry-run',
    describe: 'Only show which gaps would be accepted or withdrawn',
  }),
  yes: {
    ...yesSetting,
    describe: 'Skip the question of --user and --status. Required when there is no terminal',
  },
  ...commitSettings,
  ...storageSettings,
};

/** Settings of `request new`. */
export const requestNewSettings = {
  users: list({
    name: 'user',
    describe: 'The request is about this user; repeatable; default: everybody',
    isFlagOnly: true,
  }),
  sessions: list({
    name: 'session',
    describe: 'The request is about this conversation (its id), not about a user; repeatable',
    isFlagOnly: true,
  }),
  match: selectionSettings.match,
  in: selectionSettings.in,
  from: selectionSettings.from,
  to: selectionSettings.to,
  reason: {
    ...changeSettings.reason,
    describe:
      'Why: a matter, a case number. The name, the reason and --by stay in the log after an erasure, so leave out names of people who may be erased',
  },
  by: {
    ...changeSettings.by,
    describe:
      'Who asked for it: an authority, a person, or a number that stands for one; default: your login name',
  },
  ...commitSettings,
  ...storageSettings,
};

/** Settings of `request decide`. */
export const requestDecideSettings = {
  session: text({
    name: 'session',
    describe: 'The conversation (its id)',
    isFlagOnly: true,
    required: true,
  }),
  job: text({
    name: 'job',
    describe: 'Only this question of it (its id); default: all of the conversation',
    isFlagOnly: true,
  }),
  reason: text({
    name: 'reason',
    describe:
      'Why: privileged, not responsive, third party. It stands in every pack, workbook and report for the request, so quote nothing of what is withheld',
    required: true,
  }),
  by: text({ name: 'by', describe: 'The person who decides; default: your login name' }),
  ...commitSettings,
  ...storageSettings,
};

/** Settings of `request close`. */
export const requestCloseSettings = {
  reason: text({
    name: 'reason',
    describe:
      'How it ended: answered, withdrawn. First make what is still to be recorded for it: a closed request takes no erasure, pack or search',
    required: true,
  }),
  by: text({ name: 'by', describe: 'The person who closes it; default: your login name' }),
  releaseHolds: toggle({
    name: 'release-holds',
    describe: 'Also release the holds that were set for it; on a terminal the command asks',
  }),
  ...commitSettings,
  ...storageSettings,
};

/** Settings of `search`, which may be made for a request: then the log keeps that it was made. */
export const searchCommandSettings = {
  ...searchSettings,
  ...forRequestSettings,
  ...recordSigningSettings,
};
