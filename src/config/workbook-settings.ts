/** Settings of `workbook`. */
import { flagOnly, text } from './setting.js';
import { storageSettings } from './storage-settings.js';

export const workbookSettings = {
  ...storageSettings,
  user: flagOnly(text({ name: 'user', describe: 'The user whose conversations are written' })),
  out: flagOnly(
    text({
      name: 'out',
      describe: 'The workbook, FILE.xlsx or s3://bucket/FILE.xlsx; an existing one is replaced',
    }),
  ),
};
