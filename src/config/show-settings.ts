/** Settings of `show`. */
import { flagOnly, text, whole } from './setting.js';
import { storageSettings } from './storage-settings.js';

export const showSettings = {
  ...storageSettings,
  user: flagOnly(text({ name: 'user', describe: 'List only sessions of this user' })),
  maxRows: whole(
    { name: 'max-rows', describe: 'List at most this many sessions; 0 for all', default: 50 },
    [0, 1_000_000],
  ),
};
