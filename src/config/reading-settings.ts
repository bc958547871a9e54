/** Settings of `report`. */
import { text } from './setting.js';
import { allowLostFiles, forRequestSettings, selectionSettings } from './search-settings.js';
import { recordSigningSettings } from './signing-settings.js';
import { storageSettings } from './storage-settings.js';

export const reportSettings = {
  ...storageSettings,
  out: text({
    name: 'out',
    describe:
      'The directory of the report; default: <archive>-report; an earlier report there is brought up to date',
    isFlagOnly: true,
  }),
  ...selectionSettings,
  title: text({ name: 'title', describe: 'The title of the page' }),
  allowLostFiles,
  ...forRequestSettings,
  ...recordSigningSettings,
};
