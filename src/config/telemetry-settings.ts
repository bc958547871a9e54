/** How a run is watched from outside. */
import { choice, parsed, text } from './setting.js';

const HTTP_URL = 'an http:// or https:// URL';

export const telemetrySettings = {
  metricsFile: text({
    name: 'metrics-file',
    describe: "Prometheus metrics of the run go here: the textfile collector's *.prom",
  }),
  pingUrl: parsed(
    {
      name: 'ping-url',
      describe: 'Told of begin (/start), success and failure (/<exit code>), as healthchecks.io',
      isSecret: true,
    },
    HTTP_URL,
    httpUrl,
  ),
  webhookUrl: parsed(
    {
      name: 'webhook-url',
      describe: 'Told of a run that ends with gaps or fails',
      isSecret: true,
    },
    HTTP_URL,
    httpUrl,
  ),
  webhookFormat: choice(
    { name: 'webhook-format', describe: 'What it is sent; slack for addresses of Slack' },
    ['json', 'slack'],
  ),
};

function httpUrl(given: string): URL | undefined {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}
