/** Serves an archive to an assistant over stdin and stdout. */
import { Writable } from 'node:stream';
import { systemRandom } from '../../base/runtime.js';
import { querySettings } from '../../config/search-settings.js';
import { storageOptionsOf, storageSettings } from '../../config/storage-settings.js';
import { openArchive } from '../../library/operations.js';
import { defineCommand } from '../command.js';
import { send } from '../output/send.js';

export const mcpCommand = defineCommand({
  usage: 'mcp [archive]',
  describe: 'Answer an assistant over stdin and stdout (MCP): status, search, SQL, …; read-only',
  ownsStdout: true,
  settings: {
    memoryBytes: querySettings.memoryBytes,
    maxFetchBytes: querySettings.maxFetchBytes,
    temporaryDirectory: querySettings.temporaryDirectory,
    ...storageSettings,
  },
  examples: {
    'jobvault mcp ./archive': 'a client starts it; it ends when the client closes its stdin',
    'claude mcp add archive -- jobvault mcp /srv/archive':
      'one client; config/guide/reading.md has the setup of others',
  },
  onlyReads: () => true,
  run: async ({ settings, positionals, terminal, logger, secrets, reportError }) => {
    const { stdin, stdout, interruption, clock } = terminal;
    const open = (signal: AbortSignal) =>
      openArchive(positionals.archive ?? '', {
        storage: storageOptionsOf(settings),
        logger,
        signal,
      });
    // a wrong path is told at once, where people see it
    await (await open(interruption.signal)).close();
    if (stdin.isTTY === true) {
      terminal.stderr.write(
        "This command answers an assistant's program, which starts it and writes to its stdin: config/guide/reading.md. Ctrl-C ends it.\n",
      );
    }
    // loaded on demand: no other command needs the protocol
    const { serveMcp } = await import('../../mcp/serve-mcp.js');
    const output = new Writable({
      write: (chunk: Uint8Array, _encoding, done) => {
        send(stdout, chunk, interruption.signal).then((isTaken) => {
          if (!isTaken) output.destroy();
          done();
        }, done);
      },
    });
    output.on('error', () => undefined); // the client has gone: the streams are closed
    await serveMcp({
      open,
      input: stdin,
      output,
      signal: interruption.signal,
      limits: settings,
      clock,
      random: systemRandom,
      secrets,
      onUnexpected: reportError,
      onTrouble: (sentence) => logger.warn({}, sentence),
    });
    stdin.destroy();
    return {};
  },
});
