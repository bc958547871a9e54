/** Runs the emulator, or serves an archive, until it is interrupted. */
import type { EmulatorOptions } from '../../../emulator/options.js';
import { UsageError } from '../../../base/error.js';
import type { ValuesOf } from '../../../config/resolve-settings.js';
import { serveSettings } from '../../../config/serve-settings.js';
import { type CommandResult, defineCommand, type Invocation } from '../../command.js';
import { withArchive } from '../../input/access.js';
import { readGiven } from '../../input/given-file.js';
import { jsonLine } from '../../json-line.js';
import { counted } from '../../../base/text/counted.js';

export const serveCommand = defineCommand({
  usage: 'serve',
  describe: 'Run an emulator of the service, with generated data',
  settings: serveSettings,
  examples: {
    'jobvault serve': 'on port 4010, with the API key demo-key',
    'jobvault serve --from ./archive': 'what is archived, to clients of the service; read-only',
    'jobvault serve --users 0 --import histories.json': 'histories of your own',
    'jobvault serve --users 50 --sessions 150 --jobs 120': 'a larger company',
    'jobvault serve --url-ttl 2s --latency 200ms --error-rate 0.05 --order shuffled': 'a bad day',
  },
  onlyReads: ({ archive }) => archive !== undefined,
  run: async (invocation) => {
    const { settings, terminal, print } = invocation;
    if (settings.archive !== undefined) return serveFrom(settings.archive, invocation);
    refuseFlags(invocation, ['key-file', 'scratch'], 'goes with --from');
    // loaded on demand: no other command needs a web server
    const { startEmulator } = await import('../../../emulator/emulator.js');
    const emulator = await startEmulator(optionsOf(settings));
    const { baseUrl, filesUrl, state } = emulator;
    const users = state.userIds();
    if (settings.json) {
      const line = { base_url: baseUrl, files_url: filesUrl, api_key: DEMO_KEY, users };
      await print(jsonLine(line));
    } else {
      await print(
        `The emulator answers at ${baseUrl} (files at ${filesUrl}).\n` +
          `API key: ${DEMO_KEY}. ${users.length} users: ${users.slice(0, 3).join(', ')}${users.length > 3 ? ', … (all: --json)' : ''}\n` +
          `Try: JOBVAULT_API_KEY=${DEMO_KEY} jobvault export --base-url ${baseUrl} --user ${users[0] ?? 'USER'} --out ./archive\n` +
          'Ctrl-C ends it.\n',
      );
    }
    await interruptionOf(terminal.interruption.signal);
    await emulator.close();
    return {};
  },
});

export const DEMO_KEY = 'demo-key';

type Serving = Invocation<typeof serveSettings>;

/** Flags of the emulator's data and faults: an archive has its own. */
const OF_EMULATOR = [
  ...['seed', 'users', 'sessions', 'jobs', 'rate-limit', 'max-page-size', 'data', 'import'],
  ...['latency', 'error-rate', 'order', 'overview-code', 'odd', 'gaps'],
];

async function serveFrom(location: string, invocation: Serving): Promise<CommandResult> {
  refuseFlags(invocation, OF_EMULATOR, 'does not go with --from, which serves what is archived');
  const { settings, terminal, secrets, reportError, print } = invocation;
  const { host, port, filesPort, urlTtlMs, scratch, json } = settings;
  const apiKey = await keyIn(settings.keyFile);
  return withArchive({ ...invocation, positionals: { archive: location } }, async (archive) => {
    const options = { host, port, filesPort, urlTtlMs, scratch, apiKey, onDamage: reportError };
    const served = await archive.serve(options);
    try {
      const { baseUrl, filesUrl, sessions } = served;
      const [users, commit] = [sessions.users.size, sessions.through];
      // a key of the caller's own is not shown
      const made = apiKey === undefined ? served.apiKey : undefined;
      if (apiKey !== undefined) secrets.push(apiKey);
      if (json) {
        const counts = { users, sessions: sessions.sessionCount, commit };
        const line = { base_url: baseUrl, files_url: filesUrl, api_key: made, ...counts };
        await print(jsonLine(line));
      } else {
        await print(
          `${archive.location} answers at ${baseUrl} (files at ${filesUrl}), read-only, as of commit ${commit}.\n` +
            `${counted(users, 'user')}, ${counted(sessions.sessionCount, 'session')}. API key: ${made ?? `the one in ${settings.keyFile ?? ''}`}\n` +
            'Ctrl-C ends it.\n',
        );
      }
      await interruptionOf(terminal.interruption.signal);
      return {};
    } finally {
      await served.close();
    }
  });
}

/** @throws {UsageError} the file cannot be read, or is no key */
async function keyIn(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const key = (await readGiven('--key-file', file)).toString().trim();
  if (/^[\x21-\x7e]{16,}$/.test(key)) return key;
  throw new UsageError(
    `--key-file ${file} is not a key; allowed is a line of at least 16 characters, without spaces`,
  );
}

/** @throws {UsageError} one of them is given */
function refuseFlags({ sources }: Serving, names: readonly string[], why: string): void {
  const given = names.find((name) => sources.flags[name] !== undefined);
  if (given !== undefined) throw new UsageError(`--${given} ${why}`);
}

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
