/** Settings of `hold add`, `hold release` and `hold list`. */
import { list, text, toggle } from './setting.js';
import { exportSettings } from './settings.js';
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
  reason: text({ name: 'reason', describe: 'Why: a matter, a case number (required)' }),
  by: text({ name: 'by', describe: 'The person who asked for it; default: your login name' }),
  signingKey: exportSettings.signingKey,
  ...storageSettings,
};

export const holdAddSettings = {
  ...changeSettings,
  allowUnknown: toggle({
    name: 'allow-unknown-holds',
    describe: 'Also hold users and sessions that the archive does not have',
  }),
};

export const holdReleaseSettings = {
  ...changeSettings,
  all: toggle({
    name: 'all-holds',
    describe: 'Release every hold on them where there are several',
  }),
};

/** Settings of `gap accept` and `gap withdraw`. */

export const gapAcceptSettings = {
  sessions: list({
    name: 'session',
    describe: 'Every gap that this session has now (withdraw: every accepted one); repeatable',
    isFlagOnly: true,
  }),
  job: text({ name: 'job', describe: 'Only gaps of this job of the session', isFlagOnly: true }),
  reason: text({ name: 'reason', describe: 'Why: what was found out, a ticket (required)' }),
  by: text({
    name: 'by',
    describe: 'The person who accepts them, or withdraws that; default: your login name',
  }),
  signingKey: exportSettings.signingKey,
  ...storageSettings,
};
