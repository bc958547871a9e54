/** Settings of `init`, `doctor` and `config show`, and those of monitoring. */
import { fleetSettings } from './fleet-settings.js';
import { serviceSettings } from './access-settings.js';
import { exportSettings } from './export-settings.js';
import { storageSettings } from './storage-settings.js';
import { choice, toggle } from './setting.js';

export const setupSettings = {
  force: toggle({ name: 'force', describe: 'Replace an existing file' }),
  nightly: toggle({
    name: 'nightly',
    describe:
      'Also write what every night needs: the key file, systemd units or a crontab and its script, alert rules and a dashboard',
    isFlagOnly: true,
  }),
  scheduler: choice(
    {
      name: 'scheduler',
      describe: 'What starts the nightly run, with --nightly',
      default: 'systemd',
      isFlagOnly: true,
    },
    ['systemd', 'cron'],
  ),
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

const { user, usersFile, minUsers, allowUnknownUsers, excludeUser, excludeUsersFile } =
  exportSettings;
const { allowOtherConversations } = exportSettings;
const { out, project, formats, pageSize, checkpointBytes, signingKey } = exportSettings;

/** The settings that `export` would use. */
export const doctorSettings = {
  ...serviceSettings,
  user,
  usersFile,
  minUsers,
  allowUnknownUsers,
  excludeUser,
  excludeUsersFile,
  allowOtherConversations,
  out,
  project,
  formats,
  pageSize,
  checkpointBytes,
  signingKey,
  /** Told as a finding: a doctor is not refused. */
  keptHead: exportSettings.headFile,
  ...storageSettings,
  redis: fleetSettings.redis,
};
