/** Lists tables and views, or the columns of one with an example of each. */
import { isThere } from '../input/given-file.js';
import { storageSettings } from '../../config/storage-settings.js';
import {
  dataDictionary,
  dictionaryEntry,
  type DictionaryEntry,
} from '../../query/data-dictionary.js';
import type { OpenArchive } from '../../library/open-archive.js';
import { defineCommand } from '../command.js';
import { withArchive } from '../input/access.js';
import { cutTo } from '../output/text-width.js';
import { visibleLine } from '../../base/text/visible.js';

/** Columns of an example: it shows what a value looks like. */
const EXAMPLE_WIDTH = 40;
/** Characters of one in JSON. */
const MAX_EXAMPLE = 200;

export const tablesCommand = defineCommand({
  usage: 'tables [archive] [table]',
  describe: 'List tables and views, or the columns of one, with types, meanings and an example',
  positionals: {
    archive: 'The archive, for examples: a directory or s3://bucket/prefix',
    table: 'A table or view (v_usage_by_week); without it, all are listed',
  },
  archiveOfSettings: 'never',
  settings: storageSettings,
  examples: {
    'jobvault tables ./archive': 'lists tables and views with their meaning',
    'jobvault tables ./archive current_jobs': 'its columns: type, meaning, and an example',
    'jobvault tables v_usage_by_week': 'a view, without an archive: no examples',
  },
  onlyReads: () => true,
  run: async (invocation) => {
    const { archive, table } = await placeAndName(invocation.positionals);
    if (table === undefined) {
      const all = dataDictionary().map(({ name, meaning, columns }) => ({
        name,
        meaning,
        columns: columns.map((column) => ({
          name: column.name,
          type: column.type,
          is_key: column.isKey,
          meaning: column.meaning,
        })),
      }));
      // an archive that is not there is said, too
      if (archive !== undefined) await withArchive(invocation, () => Promise.resolve());
      const rows = all.map(({ name, meaning }) => [name, meaning]);
      return { value: { tables: all }, view: { table: { headings: ['table', 'meaning'], rows } } };
    }
    const entry = dictionaryEntry(table, hintOf(table, archive));
    const examples =
      archive === undefined
        ? new Map<string, string>()
        : await withArchive(invocation, (opened) => examplesOf(opened, entry));
    const columns = entry.columns.map(({ name, type, isKey, meaning }) => {
      const example = examples.get(name)?.slice(0, MAX_EXAMPLE) ?? null;
      return { name, type, is_key: isKey, meaning, example };
    });
    const rows = columns.map(({ name, type, is_key: isKey, meaning, example }) => [
      name,
      isKey ? `${type}, key` : type,
      meaning,
      example === null ? '' : cutTo(visibleLine(example), EXAMPLE_WIDTH),
    ]);
    const { name, meaning } = entry;
    const headings = ['column', 'type', 'meaning', ...(archive === undefined ? [] : ['example'])];
    const shown = rows.map((row) => row.slice(0, headings.length));
    return {
      value: { name, meaning, columns },
      view: {
        headline: `${name}: ${meaning}`,
        sections: [{ table: { headings, rows: shown, spare: ['type'] } }],
      },
    };
  },
});

/** What else may be wrong with a word that is no table or view. */
function hintOf(table: string, archive: string | undefined): string {
  if (archive === undefined) return ', and no archive lies there';
  return isName(table) ? '' : ', and tables takes one archive';
}

const isName = (word: string) => /^\w+$/.test(word);

/** One word is meant as a table or view, unless something lies there; an archive that is called like one is named `./jobs`. */
async function placeAndName({
  archive,
  table,
}: {
  readonly archive?: string;
  readonly table?: string;
}): Promise<{ archive?: string; table?: string }> {
  if (archive === undefined) return {};
  if (table !== undefined) return { archive, table };
  return isName(archive) && !(await isThere(archive)) ? { table: archive } : { archive };
}

/** The examples of a view; of one that counts they are its first row: they need DuckDB, as `query` does. */
async function examplesOf(
  archive: OpenArchive,
  { name, table, columns }: DictionaryEntry,
): Promise<ReadonlyMap<string, string>> {
  if (table !== undefined) return archive.examples(table);
  return archive.queryResult(`FROM ${name} LIMIT 1`, async (result) => {
    const found = new Map<string, string>();
    for await (const rows of result.rows(1)) {
      rows[0]?.forEach((value, at) => {
        const column = columns[at];
        if (value !== null && column) found.set(column.name, value);
      });
    }
    return found;
  });
}
