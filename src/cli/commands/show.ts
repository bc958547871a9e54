import { withArchive } from '../input/archive-argument.js';
import { storageSettings } from '../../config/storage-settings.js';
import { defineCommand } from '../command.js';
import { conversationText } from '../output/conversation-text.js';
import { EXIT } from '../exit-code.js';
import { jsonLine } from '../json-line.js';

export const showCommand = defineCommand({
  positionals: {
    archive: 'The archive: a directory or s3://bucket/prefix',
    session: "The session's id",
    job: 'Only this job',
  },
  settings: storageSettings,
  examples: [
    ['jobvault show ./archive 0b6f…', 'the newest version of every job, oldest first'],
    ['jobvault show ./archive 0b6f… job-cm3… --json', 'one job as JSON'],
  ],
  run: async (invocation) => {
    const { settings, terminal, positionals } = invocation;
    const { session = '', job } = positionals;
    await withArchive(invocation, async (archive) => {
      const shown = await archive.show(session, job);
      terminal.stdout.write(settings.json ? jsonLine(shown) : conversationText(shown));
    });
    return EXIT.complete;
  },
});
