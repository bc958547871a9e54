/** What the commands can be told that write an archive anew. Source: design.md, section 5. */
import { duration, list, size, text, toggle } from './setting.js';
import { deletionSettings } from './service-command-settings.js';
import { exportSettings } from './settings.js';
import { storageSettings } from './storage-settings.js';

export const compactSettings = {
  targetSize: size({
    name: 'target-size',
    describe: 'About how large the merged files become',
    default: '256MB',
  }),
  grace: duration({
    name: 'grace',
    describe: 'How long the files that were replaced can still be read, under _retired/',
    default: '7d',
  }),
  parquetCodec: exportSettings.parquetCodec,
  signingKey: exportSettings.signingKey,
  ...storageSettings,
};

export const eraseSettings = {
  user: list({ name: 'user', describe: 'Erase everything of this user; repeatable' }),
  session: list({ name: 'session', describe: 'Erase this session; repeatable' }),
  reason: text({
    name: 'reason',
    describe: 'Who asked, and why, for the receipt; must not name what is erased',
  }),
  dryRun: toggle({ name: 'dry-run', describe: 'Only count what would go', default: false }),
  yes: deletionSettings.yes,
  grace: duration({
    name: 'grace',
    describe:
      'How long the files that held it can still be read, under _retired/; default: not at all',
  }),
  noWait: exportSettings.noWait,
  parquetCodec: exportSettings.parquetCodec,
  signingKey: exportSettings.signingKey,
  ...storageSettings,
};
