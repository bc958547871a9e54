/** Prints the files of a table, or the checksums of the whole archive. */
import { UsageError } from '../../base/error.js';
import { toggle } from '../../config/setting.js';
import { storageSettings } from '../../config/storage-settings.js';
import type { OpenArchive } from '../../library/open-archive.js';
import { TABLE_NAMES } from '../../model/tables.js';
import { withArchive } from '../input/access.js';
import { defineCommand } from '../command.js';
import { jsonLine } from '../json-line.js';

/** Printed at a time. */
const MOST_LINES = 1000;

export const filesCommand = defineCommand({
  usage: 'files [archive] [table]',
  describe: 'Print the files of a table in the newest commit, or the checksums of all objects',
  positionals: {
    table: TABLE_NAMES.join(', '),
  },
  argumentChoices: TABLE_NAMES,
  settings: storageSettings,
  flags: {
    checksums: toggle({
      name: 'checksums',
      describe:
        'Instead of a table: list every object of the archive with its SHA-256, for sha256sum -c and rclone checksum',
    }),
  },
  examples: {
    'jobvault files ./archive jobs': 'one path per line, for another program',
    'jobvault files ./archive blocks --json': 'with rows, bytes and SHA-256 of each file',
    'jobvault files ./archive --checksums > archive.sha256':
      'then, in the archive: sha256sum -c ../archive.sha256',
    'jobvault files s3://company-archive/assistant --checksums > archive.sha256':
      'rclone checksum sha256 archive.sha256 s3:company-archive/assistant --download --one-way',
  },
  onlyReads: () => true,
  run: async (invocation) => {
    const { settings, positionals, print } = invocation;
    const { table } = positionals;
    if (settings.checksums === (table !== undefined)) {
      throw new UsageError(
        settings.checksums
          ? '--checksums is about the whole archive; leave out the table'
          : `name a table (${TABLE_NAMES.join(', ')}), or pass --checksums for the whole archive`,
      );
    }
    await withArchive(invocation, async (archive) => {
      if (table !== undefined) await print(await filesOf(archive, table, settings.json));
      else for await (const text of checksumsOf(archive, settings.json)) await print(text);
    });
    return {};
  },
});

async function filesOf(archive: OpenArchive, table: string, json: boolean): Promise<string> {
  const { location } = archive;
  const files = await archive.files(table);
  if (json) return jsonLine({ table, location, files });
  return files.map(({ path }) => `${location}/${path}\n`).join('');
}

/** In text, each line is as `sha256sum` writes it, with a path that is relative to the archive. */
async function* checksumsOf(archive: OpenArchive, json: boolean): AsyncGenerator<string> {
  let lines: string[] = [];
  const head = JSON.stringify({ location: archive.location, objects: [] }).slice(0, -2);
  let before = json ? head : '';
  for await (const { path, sha256 } of archive.checksums()) {
    lines.push(json ? `${before}${JSON.stringify({ path, sha256 })}` : `${sha256}  ${path}\n`);
    before = json ? ',' : '';
    if (lines.length < MOST_LINES) continue;
    yield lines.join('');
    lines = [];
  }
  yield `${lines.join('')}${json ? ']}\n' : ''}`;
}
