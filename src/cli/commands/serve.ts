/** Runs the emulator until it is interrupted. */
import type { EmulatorOptions } from '../../emulator/options.js';
import { UsageError } from '../../base/usage-error.js';
import type { ValuesOf } from '../../config/resolve-settings.js';
import { serveSettings } from '../../config/settings.js';
import { defineCommand } from '../command.js';
import { EXIT } from '../exit-code.js';
import { jsonLine } from '../json-line.js';

export const serveCommand = defineCommand({
  printsAtOnce: true,
  settings: serveSettings,
  examples: [
    ['jobvault serve', 'on port 4010, with the API key demo-key'],
    ['jobvault serve --users 50 --sessions 150 --jobs 120', 'a larger company'],
    ['jobvault serve --url-ttl 2s --latency 200ms --error-rate 0.05 --order shuffled', 'a bad day'],
  ],
  run: async ({ settings, terminal }) => {
    // loaded on demand: no other command needs a web server
    const { startEmulator } = await import('../../emulator/emulator.js');
    const emulator = await startEmulator(optionsOf(settings));
    const { baseUrl, filesUrl, state } = emulator;
    const users = state.userIds();
    if (settings.json) {
      const line = { base_url: baseUrl, files_url: filesUrl, api_key: DEMO_KEY, users };
      terminal.stdout.write(jsonLine(line));
    } else {
      terminal.stdout.write(
        `The emulator answers at ${baseUrl} (files at ${filesUrl}).\n` +
          `API key: ${DEMO_KEY}. ${users.length} users: ${users.slice(0, 3).join(', ')}${users.length > 3 ? ', …' : ''}\n` +
          `Try: JOBVAULT_API_KEY=${DEMO_KEY} jobvault export --base-url ${baseUrl} --user ${users[0] ?? 'USER'} --out ./archive\n` +
          'Ctrl-C ends it.\n',
      );
    }
    await interruptionOf(terminal.interruption.signal);
    await emulator.close();
    return EXIT.complete;
  },
});

export const DEMO_KEY = 'demo-key';

function optionsOf(settings: ValuesOf<typeof serveSettings>): EmulatorOptions {
  const { errorRate = 0 } = settings;
  if (errorRate > 1) {
    throw new UsageError(`--error-rate is ${errorRate}; allowed is a number above 0, up to 1`);
  }
  const failures =
    errorRate === 0
      ? []
      : [{ probability: errorRate, answer: { kind: 'error', status: 500, code: 9999 } as const }];
  return {
    ...settings,
    importFiles: settings.importFiles ?? [],
    faults: {
      latencyMs: settings.latency ?? 0,
      order: settings.order,
      api: failures,
      overviewCode: settings.overviewCode,
    },
  };
}

async function interruptionOf(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
