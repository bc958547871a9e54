/** What the commands can be told that write an archive anew. Source: design.md, section 5. */
import { duration, size } from './setting.js';
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
