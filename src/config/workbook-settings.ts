/** What `workbook` can be told. */
import { flagOnly, text } from './setting.js';
import { storageSettings } from './storage-settings.js';

export const workbookSettings = {
  ...storageSettings,
  user: flagOnly(text({ name: 'user', describe: 'Whose conversations' })),
  out: flagOnly(
    text({
      name: 'out',
      describe: 'The workbook, FILE.xlsx or s3://bucket/FILE.xlsx; one that is there is replaced',
    }),
  ),
};
