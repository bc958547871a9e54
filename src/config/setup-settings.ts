/** What `init`, `doctor` and `config show` can be told. */
import { exportSettings, serviceSettings } from './settings.js';
import { storageSettings } from './storage-settings.js';
import { toggle } from './setting.js';

export const setupSettings = {
  force: toggle({ name: 'force', describe: 'Replace a file that is there', default: false }),
  yes: toggle({
    name: 'yes',
    describe: 'Ask nothing, on a terminal, too: write what flags and variables say',
    default: false,
  }),
  defaults: toggle({
    name: 'defaults',
    describe: 'Also the settings that have only their default',
    default: false,
  }),
};

const { user, usersFile, out, project, format, pageSize, checkpointSize } = exportSettings;

/** What `export` would go by. */
export const doctorSettings = {
  ...serviceSettings,
  user,
  usersFile,
  out,
  project,
  format,
  pageSize,
  checkpointSize,
  ...storageSettings,
};
