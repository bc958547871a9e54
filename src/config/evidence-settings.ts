/** Settings of `evidence`. */
import { storageSettings } from './storage-settings.js';
import { exportSettings } from './export-settings.js';
import { allowLostFiles, forRequestSettings, selectionSettings } from './search-settings.js';
import { text } from './setting.js';

export const evidenceSettings = {
  ...storageSettings,
  out: text({
    name: 'out',
    section: 'users',
    describe: 'Where the pack goes: a new or empty directory, or an empty s3://bucket/prefix',
    isFlagOnly: true,
    required: true,
  }),
  organization: text({ name: 'organization', describe: 'Who hands the pack over' }),
  allowLostFiles,
  ...selectionSettings,
  ...forRequestSettings,
  timestampUrl: {
    ...exportSettings.timestampUrl,
    describe:
      'The URL of a time-stamp authority (RFC 3161), which stamps the pack, and its record in the log (--request); repeatable',
  },
  signingKey: {
    ...exportSettings.signingKey,
    describe:
      'A file with an Ed25519 private key (PEM) that signs the whole pack, and its record in the log (--request)',
  },
  startSigning: exportSettings.startSigning,
  headFile: exportSettings.headFile,
};
