/** Settings of every command: its configuration file, JSON, the log. */
import { choice, text, toggle } from './setting.js';

export const commonSettings = {
  config: text({
    name: 'config',
    describe: 'The configuration file; default: jobvault.config.yaml if it exists',
  }),
  json: toggle({ name: 'json', describe: 'Print one line of JSON on stdout' }),
  logLevel: choice(
    {
      name: 'log-level',
      section: 'log',
      inNewFile: true,
      describe: 'The log level; the log goes to stderr; -q or --quiet is warn',
      default: 'info',
    },
    ['debug', 'info', 'warn', 'error', 'silent'],
  ),
  logFormat: choice(
    {
      name: 'log-format',
      section: 'log',
      inNewFile: true,
      isRare: true,
      describe: 'The log format; default: text on a terminal, else json',
    },
    ['text', 'json'],
  ),
};
