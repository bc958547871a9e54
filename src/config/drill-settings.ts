/** Settings of `drill`. */
import { commitSettings } from './signing-settings.js';
import { storageSettings } from './storage-settings.js';
import { share, text, toggle } from './setting.js';

export const drillSettings = {
  list: toggle({
    name: 'list',
    describe: 'Show the drills that were made, and their outcomes; restores nothing',
  }),
  sample: share({
    name: 'sample',
    describe: 'Restore only this share of the sessions, different ones each time: 1%',
    isFlagOnly: true,
  }),
  scratch: text({
    name: 'scratch',
    isRare: true,
    describe:
      "Where the scratch archive is made, and removed again; default: the system's temporary directory",
    isFlagOnly: true,
  }),
  ...commitSettings,
  ...storageSettings,
};
