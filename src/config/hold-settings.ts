/** Settings of what people note in the log: holds, accepted gaps, requests. */
import { forRequestSettings, searchSettings, selectionSettings } from './search-settings.js';
import { yesSetting } from './rewrite-settings.js';
import { choices, list, text, toggle } from './setting.js';
import { commitSettings, recordSigningSettings } from './settings.js';
import { storageSettings } from './storage-settings.js';

const subjectSettings = {
  users: list({
    name: 'user',
    describe: 'This user, with all sessions, as a hold of its own; repeatable',
    isFlagOnly: true,
  }),
  sessions: list({
    name: 'session',
    describe: 'This session, of any user, as a hold of its own; repeatable',
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
    describe: 'Why: a matter, a case number; needed without --request',
  }),
  by: { ...changeSettings.by, describe: 'The person who sets it; default: your login name' },
  askedBy: text({
    name: 'asked-by',
    describe:
      'The person who asked for it; default: who asked for the request, without --request who sets it',
  }),
  request: {
    ...forRequestSettings.request,
    describe:
      'The open request (its name) that this is for: its users are held, for its reason. What is made for other requests then tells neither reason nor who asked; without --request every evidence pack, workbook and report about these people does, and what is made for no request tells every hold',
  },
  allowUnknown: toggle({
    name: 'allow-unknown-holds',
    isRare: true,
    describe: 'Also hold users and sessions that the archive does not have',
  }),
};

export const holdReleaseSettings = {
  ...changeSettings,
  reason: { ...changeSettings.reason, describe: 'Why it ends: the matter is closed (required)' },
  by: {
    ...changeSettings.by,
    describe: 'The person who releases it; default: your login name',
  },
  request: {
    ...forRequestSettings.request,
    describe: 'The holds of this request (its name), also of one that is closed, and no others',
  },
  holds: list({
    name: 'hold',
    describe: 'This hold: its id, as jobvault hold list shows it; repeatable',
    isFlagOnly: true,
  }),
  all: toggle({
    name: 'all-holds',
    describe: 'Release every hold on them where there are several',
  }),
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

/** Settings of `gap accept` and `gap withdraw`. */
export const gapAcceptSettings = {
  sessions: list({
    name: 'session',
    describe: 'Every gap that this session has now (withdraw: every accepted one); repeatable',
    isFlagOnly: true,
  }),
  users: list({
    name: 'user',
    describe: 'Every gap of the sessions of this user, shown first; repeatable',
    isFlagOnly: true,
  }),
  statuses: choices(
    {
      name: 'status',
      describe: 'Only gaps of this status, as gap list names it, shown first; repeatable',
      isFlagOnly: true,
    },
    GAP_STATUSES,
  ),
  job: text({ name: 'job', describe: 'Only gaps of this job of the session', isFlagOnly: true }),
  content: text({
    name: 'content',
    describe:
      'Instead of gaps: the image with this SHA-256 is what it should be, though several places have its bytes (a logo)',
    isFlagOnly: true,
  }),
  reason: text({ name: 'reason', describe: 'Why: what was found out, a ticket', required: true }),
  by: text({
    name: 'by',
    describe: 'The person who accepts them, or withdraws that; default: your login name',
  }),
  dryRun: toggle({ name: 'dry-run', describe: 'Only show which gaps are meant' }),
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
    describe: 'This user is meant; repeatable; default: everybody',
    isFlagOnly: true,
  }),
  match: selectionSettings.match,
  in: selectionSettings.in,
  from: selectionSettings.from,
  to: selectionSettings.to,
  reason: {
    ...changeSettings.reason,
    describe:
      'Why: a matter, a case number (required). After an erasure name, reason and --by stay in the log, so leave out names of those who may be erased',
  },
  by: {
    ...changeSettings.by,
    describe:
      'Who asked for it: an authority, a person, or a number that stands for one; default: your login name',
  },
  ...commitSettings,
  ...storageSettings,
};

/** Settings of `request close`. */
export const requestCloseSettings = {
  reason: text({
    name: 'reason',
    describe:
      'How it ended: answered, withdrawn. Erase for it before: no erasure, pack or search is recorded for a closed request',
    required: true,
  }),
  by: text({ name: 'by', describe: 'The person who closes it; default: your login name' }),
  releaseHolds: toggle({
    name: 'release-holds',
    describe: 'Also release the holds that were set for it; at a terminal you are asked',
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
