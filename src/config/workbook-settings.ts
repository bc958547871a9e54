/** What `workbook` can be told. */
import { text } from './setting.js';
import { storageSettings } from './storage-settings.js';

export const workbookSettings = {
  ...storageSettings,
  user: text({ name: 'user', describe: 'Whose conversations' }),
  out: text({
    name: 'out',
    describe: 'The workbook, FILE.xlsx or s3://bucket/FILE.xlsx; one that is there is replaced',
  }),
};
