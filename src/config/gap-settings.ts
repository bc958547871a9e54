/** Settings of `gap accept` and `gap withdraw`. */
import { list, text } from './setting.js';
import { exportSettings } from './settings.js';
import { storageSettings } from './storage-settings.js';

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
