/** Settings of `init`, `doctor` and `config show`, and those of monitoring. */
import { fleetSettings } from './fleet-settings.js';
import { exportSettings, serviceSettings } from './settings.js';
import { storageSettings } from './storage-settings.js';
import { choice, toggle, parsed, text } from './setting.js';

export const setupSettings = {
  force: toggle({ name: 'force', describe: 'Replace an existing file' }),
  nightly: toggle({
    name: 'nightly',
    describe:
      'Also write what every night needs: the key file, systemd units or a crontab, alert rules and a dashboard',
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

const { user, usersFile, minUsers, excludeUser, excludeUsersFile } = exportSettings;
const { out, project, formats, pageSize, checkpointBytes, signingKey } = exportSettings;

/** The settings that `export` would use. */
export const doctorSettings = {
  ...serviceSettings,
  user,
  usersFile,
  minUsers,
  excludeUser,
  excludeUsersFile,
  out,
  project,
  formats,
  pageSize,
  checkpointBytes,
  signingKey,
  ...storageSettings,
  redis: fleetSettings.redis,
};

/** Settings of monitoring. */

const HTTP_URL = 'an http:// or https:// URL';

export const telemetrySettings = {
  metricsDir: text({
    name: 'metrics-dir',
    describe:
      'Write Prometheus metrics of the run into this folder, that of the textfile collector',
  }),
  pingUrl: parsed(
    {
      name: 'ping-url',
      describe:
        'A URL to ping at start (/start), success and failure (/<exit code>), as for healthchecks.io',
      isSecret: true,
      sends: 'pings',
    },
    HTTP_URL,
    httpUrl,
  ),
  webhookUrl: parsed(
    {
      name: 'webhook-url',
      describe: 'A URL to call when a run fails or ends with gaps',
      isSecret: true,
      sends: 'the result of the run',
    },
    HTTP_URL,
    httpUrl,
  ),
};

function httpUrl(given: string): URL | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}
