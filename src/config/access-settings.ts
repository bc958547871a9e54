/** Settings that say how the service is reached: its address, its key, the rate. */
import { positive, text } from './setting.js';

export const serviceSettings = {
  baseUrl: text({
    name: 'base-url',
    section: 'service',
    inNewFile: true,
    describe: 'The address of the service: https://host[/prefix]',
    isAddress: true,
    sends: 'the API key',
  }),
  apiKeyFile: text({
    name: 'api-key-file',
    section: 'service',
    inNewFile: true,
    describe: 'A file that holds the API key (or set JOBVAULT_API_KEY)',
  }),
  apiKeyHeader: text({
    name: 'api-key-header',
    section: 'service',
    inNewFile: true,
    isRare: true,
    describe: 'The header that carries the API key',
    default: 'x-pd-api-key',
  }),
  rate: positive({
    name: 'rate',
    section: 'service',
    inNewFile: true,
    describe: 'API requests per second, at most',
    default: 20,
  }),
};
