/** Settings of `workbook`. */
import { selectionSettings } from './search-settings.js';
import { text } from './setting.js';
import { storageSettings } from './storage-settings.js';

export const workbookSettings = {
  ...storageSettings,
  user: text({
    name: 'user',
    describe: 'The user whose conversations are written',
    isFlagOnly: true,
  }),
  from: selectionSettings.from,
  to: selectionSettings.to,
  match: selectionSettings.match,
  in: selectionSettings.in,
  undated: selectionSettings.undated,
  out: text({
    name: 'out',
    describe: 'The workbook, FILE.xlsx or s3://bucket/FILE.xlsx; an existing one is replaced',
    isFlagOnly: true,
  }),
};
