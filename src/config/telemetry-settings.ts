/** Settings of monitoring. */
import { choice, parsed, text } from './setting.js';

const HTTP_URL = 'an http:// or https:// URL';

export const telemetrySettings = {
  metricsFile: text({
    name: 'metrics-file',
    describe:
      'Write Prometheus metrics of the run to this file, a *.prom of the textfile collector',
  }),
  pingUrl: parsed(
    {
      name: 'ping-url',
      describe:
        'A URL to ping at start (/start), success and failure (/<exit code>), as for healthchecks.io',
      isSecret: true,
    },
    HTTP_URL,
    httpUrl,
  ),
  webhookUrl: parsed(
    {
      name: 'webhook-url',
      describe: 'A URL to call when a run fails or ends with gaps',
      isSecret: true,
    },
    HTTP_URL,
    httpUrl,
  ),
  webhookFormat: choice(
    {
      name: 'webhook-format',
      describe: 'The format of that call; default: slack for URLs of Slack, else json',
    },
    ['json', 'slack'],
  ),
};

function httpUrl(given: string): URL | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}
