/** Settings of `workbook`. */
import { text } from './setting.js';
import { storageSettings } from './storage-settings.js';

export const workbookSettings = {
  ...storageSettings,
  user: text({
    name: 'user',
    describe: 'The user whose conversations are written',
    isFlagOnly: true,
  }),
  out: text({
    name: 'out',
    describe: 'The workbook, FILE.xlsx or s3://bucket/FILE.xlsx; an existing one is replaced',
    isFlagOnly: true,
  }),
};
