/** What `report` can be told. */
import { choice, flagOnly, list, text } from './setting.js';
import { selectionSettings } from './search-settings.js';
import { storageSettings } from './storage-settings.js';

export const reportSettings = {
  ...storageSettings,
  out: flagOnly(
    text({
      name: 'out',
      describe: 'Where the report goes, default <archive>-report; an earlier one there is replaced',
    }),
  ),
  user: flagOnly(
    list({ name: 'user', describe: 'Only what is archived of this user; repeatable' }),
  ),
  session: flagOnly(list({ name: 'session', describe: 'Only this session; repeatable' })),
  ...selectionSettings,
  title: text({ name: 'title', describe: 'What stands at the top of the page' }),
  artifacts: choice(
    {
      name: 'artifacts',
      describe: 'Take tables and images along, or link to them in an archive on disk',
      default: 'copy',
    },
    ['copy', 'link'],
  ),
};
