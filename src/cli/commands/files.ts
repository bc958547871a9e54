/** Prints the files of a table. */
import { TABLE_NAMES } from '../../model/tables.js';
import { withArchive } from '../input/archive-argument.js';
import { storageSettings } from '../../config/storage-settings.js';
import { defineCommand } from '../command.js';
import { EXIT } from '../exit-code.js';
import { jsonLine } from '../json-line.js';

export const filesCommand = defineCommand({
  positionals: {
    archive: 'The archive: a directory or s3://bucket/prefix',
    table: TABLE_NAMES.join(', '),
  },
  argumentChoices: TABLE_NAMES,
  settings: storageSettings,
  examples: [
    ['jobvault files ./archive jobs', 'one path per line, for another program'],
    ['jobvault files ./archive blocks --json', 'with rows, bytes and SHA-256 of each file'],
  ],
  onlyReads: () => true,
  run: async (invocation) => {
    const { settings, terminal, positionals } = invocation;
    const { table = '' } = positionals;
    await withArchive(invocation, async (archive) => {
      const { location } = archive;
      const files = await archive.files(table);
      const lines = settings.json
        ? [jsonLine({ table, location, files }).trimEnd()]
        : files.map(({ path }) => `${location}/${path}`);
      for (const line of lines) terminal.stdout.write(`${line}\n`);
    });
    return EXIT.complete;
  },
});
