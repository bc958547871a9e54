/** Settings of `init`, `doctor` and `config show`. */
import { fleetSettings } from './fleet-settings.js';
import { exportSettings, serviceSettings } from './settings.js';
import { storageSettings } from './storage-settings.js';
import { toggle } from './setting.js';

export const setupSettings = {
  force: toggle({ name: 'force', describe: 'Replace an existing file' }),
  yes: toggle({
    name: 'yes',
    describe: 'Ask nothing; write what flags and variables say',
    isFlagOnly: true,
  }),
  defaults: toggle({
    name: 'defaults',
    describe: 'Also show settings that have their default value',
  }),
};

const { user, usersFile, excludeUser, excludeUsersFile } = exportSettings;
const { out, project, formats, pageSize, checkpointBytes } = exportSettings;

/** The settings that `export` would use. */
export const doctorSettings = {
  ...serviceSettings,
  user,
  usersFile,
  excludeUser,
  excludeUsersFile,
  out,
  project,
  formats,
  pageSize,
  checkpointBytes,
  ...storageSettings,
  redis: fleetSettings.redis,
};
