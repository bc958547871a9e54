/** Settings of `workbook`. */
import { text } from './setting.js';
import { allowLostFiles, forRequestSettings, selectionSettings } from './search-settings.js';
import { recordSigningSettings } from './signing-settings.js';
import { storageSettings } from './storage-settings.js';

export const workbookSettings = {
  ...storageSettings,
  users: selectionSettings.users,
  usersFile: text({
    name: 'users-file',
    describe: 'A file of the only users: one per line, or CSV with a column user_id; - is stdin',
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
    required: true,
  }),
  allowLostFiles,
  ...forRequestSettings,
  ...recordSigningSettings,
};
