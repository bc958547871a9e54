/** What `show` can be told. */
import { flagOnly, text, whole } from './setting.js';
import { storageSettings } from './storage-settings.js';

export const showSettings = {
  ...storageSettings,
  user: flagOnly(text({ name: 'user', describe: 'Of the list: only sessions of this user' })),
  maxRows: whole(
    { name: 'max-rows', describe: 'Of the list: so many at most; 0 for all', default: 50 },
    [0, 1_000_000],
  ),
};
