/** Settings of `files`. */
import { toggle } from './setting.js';
import { storageSettings } from './storage-settings.js';

export const filesSettings = {
  ...storageSettings,
  checksums: toggle({
    name: 'checksums',
    describe:
      'Instead of a table: list every object of the archive with its SHA-256, for sha256sum -c and rclone checksum',
    isFlagOnly: true,
  }),
};
