/** Prints what came, changed and went since a commit, and the commit to begin with next time. */
import { UsageError } from '../../base/error.js';
import { selectionSettings } from '../../config/search-settings.js';
import { choice, parsed, toggle } from '../../config/setting.js';
import { storageSettings } from '../../config/storage-settings.js';
import { parseCursor } from '../../model/cursor.js';
import type { ArchiveChanges, Change } from '../../archive/changes.js';
import { withArchive } from '../input/access.js';
import { defineCommand, type Invocation } from '../command.js';
import { jsonLine } from '../json-line.js';
import { counted } from '../../base/text/counted.js';
import { tableText } from '../output/table-text.js';
import { folded } from '../output/folded-text.js';
import { terminalWidth } from '../output/terminal.js';

/** A beginning forgotten in a file would hide changes. */
const flags = {
  since: parsed(
    {
      name: 'since',
      describe:
        'List what came after this commit, as ARCHIVE:COMMIT (another archive refuses it) or a number alone; 0 for everything. The last line has the next one. A new pseudonymised copy is another archive: begin again with 0, or compare --keys',
    },
    'ARCHIVE:COMMIT, as the last line of changes says, or a whole number from 0 to 999999999999',
    (text) => (parseCursor(text) ? text : undefined),
  ),
  sinceTime: {
    ...selectionSettings.from,
    name: 'since-time',
    describe:
      'Instead: list what was committed since this day, month, year or time (UTC), such as yesterday or 12h (12 hours ago)',
  },
  keys: toggle({
    name: 'keys',
    describe: 'Instead: list every key of which the archive has rows, to find out what was erased',
  }),
  output: choice(
    {
      name: 'output',
      describe: 'The format of the changes; default: table on a terminal, else jsonl',
    },
    ['table', 'jsonl'],
  ),
};

type Changes = Invocation<typeof flags>;

/** Rows of a table for people; a program reads lines. */
const MOST_ROWS = 1000;
const HEADINGS = ['commit', 'at', 'change', 'table', 'user', 'session', 'job', 'version'];
/** Changes that are written together. */
const BATCH = 500;

export const changesCommand = defineCommand({
  usage: 'changes [archive]',
  describe:
    'List what was added, changed and removed since a commit, for a program that loads the tables',
  settings: storageSettings,
  flags,
  examples: {
    'jobvault changes ./archive --since 0 --output jsonl > changes.jsonl':
      'everything; the last line is the cursor: its archive_id, a colon and its commit are the next --since',
    'jobvault changes ./archive --since 01KBD3N5Q8RZ4T6V7W9XAYBCDE:57':
      'what was added, changed and removed after commit 57 of this archive; any other refuses it, also a new copy',
    'jobvault changes ./archive --keys | sort > keys.jsonl':
      'after an erasure: what the archive still has',
  },
  onlyReads: () => true,
  run: async (invocation) => {
    const { settings, terminal } = invocation;
    if (settings.json && settings.output !== undefined) {
      throw new UsageError(`--json and --output ${settings.output} exclude each other`);
    }
    const output = settings.output ?? (terminal.stdout.isTTY === true ? 'table' : 'jsonl');
    await withArchive(invocation, async (archive) => {
      const { since, sinceTime, keys } = settings;
      const found = await archive.changes({ since, sinceTime, keys });
      if (settings.json) await printJson(invocation, archive.location, found);
      else if (output === 'table') await printTable(invocation, found);
      else await invocation.print(batched(linesOf(found)));
    });
    return {};
  },
});

/** Many at a time: each write to a pipe takes as long as making them. */
async function* batched(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let waiting: string[] = [];
  for await (const text of texts) {
    waiting.push(text);
    if (waiting.length < BATCH) continue;
    yield waiting.join('');
    waiting = [];
  }
  yield waiting.join('');
}

/** The last line says up to which commit: without it, the lines are not all. */
async function* linesOf({ archive_id, through, changes }: ArchiveChanges): AsyncGenerator<string> {
  for await (const change of changes) yield jsonLine(change);
  const nothing = { table: null, user_id: null, session_id: null, session_version: null };
  yield jsonLine({
    commit: through,
    at: null,
    change: 'cursor',
    ...nothing,
    job_id: null,
    job_version: null,
    archive_id,
  });
}

async function printJson(
  invocation: Changes,
  archive: string,
  { archive_id, since, through, changes }: ArchiveChanges,
): Promise<void> {
  async function* texts(): AsyncGenerator<string> {
    let before = `${jsonLine({ archive, archive_id, since, through }).slice(0, -2)},"changes":[`;
    for await (const change of changes) {
      yield before + jsonLine(change).trimEnd();
      before = ',';
    }
    yield before === ',' ? ']}\n' : `${before}]}\n`;
  }
  await invocation.print(batched(texts()));
}

async function printTable(
  { settings, terminal: { stdout }, print }: Changes,
  { archive_id, since, through, changes }: ArchiveChanges,
): Promise<void> {
  const rows: string[][] = [];
  let count = 0;
  for await (const change of changes) {
    if (++count <= MOST_ROWS) rows.push(rowOf(change));
  }
  const width = terminalWidth(stdout);
  const table = count === 0 ? '' : tableText(HEADINGS, rows, width, ['table', 'version']);
  const more =
    count > MOST_ROWS ? `${counted(count - MOST_ROWS, 'more row')}: --output jsonl has all. ` : '';
  const what = settings.keys
    ? `${counted(count, 'key')} as of commit ${through}.`
    : `${counted(count, 'change')} after commit ${since}.`;
  const next = `${more}${what} Next time: --since ${archive_id}:${through}\n`;
  await print(table + folded(next, width));
}

function rowOf(change: Change): string[] {
  const version = change.job_version ?? change.session_version;
  return [
    String(change.commit),
    change.at.slice(0, 19).replace('T', ' '),
    change.change,
    change.table ?? '',
    change.user_id ?? '',
    change.session_id ?? '',
    change.job_id ?? '',
    version === null ? '' : String(version),
  ];
}
