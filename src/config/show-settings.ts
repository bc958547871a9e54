/** Settings of `show`. */
import { text, whole } from './setting.js';
import { storageSettings } from './storage-settings.js';

export const showSettings = {
  ...storageSettings,
  user: text({ name: 'user', describe: 'Only sessions of this user', isFlagOnly: true }),
  maxRows: whole(
    { name: 'max-rows', describe: 'List at most this many sessions; 0 for all', default: 50 },
    [0, 1_000_000],
  ),
};
