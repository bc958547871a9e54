/** Settings of `report`. */
import { choice, text } from './setting.js';
import { selectionSettings } from './search-settings.js';
import { storageSettings } from './storage-settings.js';

export const reportSettings = {
  ...storageSettings,
  out: text({
    name: 'out',
    describe:
      'The directory of the report; default: <archive>-report; an earlier report there is replaced',
    isFlagOnly: true,
  }),
  ...selectionSettings,
  title: text({ name: 'title', describe: 'The title of the page' }),
  artifacts: choice(
    {
      name: 'artifacts',
      describe: 'Copy tables and images, or link to them in an archive on disk',
      default: 'copy',
    },
    ['copy', 'link'],
  ),
};
