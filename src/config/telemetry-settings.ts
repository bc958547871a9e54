/** Settings of monitoring. */
import { parsed, text } from './setting.js';

const HTTP_URL = 'an http:// or https:// URL';

export const telemetrySettings = {
  metricsDir: text({
    name: 'metrics-dir',
    section: 'monitoring',
    inNewFile: true,
    describe:
      'Write Prometheus metrics of the run into this folder, which the textfile collector reads',
  }),
  pingUrl: parsed(
    {
      name: 'ping-url',
      section: 'monitoring',
      inNewFile: true,
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
      section: 'monitoring',
      inNewFile: true,
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
