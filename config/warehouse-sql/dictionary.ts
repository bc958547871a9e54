/** The data dictionary as Markdown: every table and view of `query` with its columns, types and meanings. */
import { dataDictionary, type DictionaryEntry } from '../../src/query/data-dictionary.js';

const HEADINGS = ['column', 'type', 'meaning'] as const;

export function dictionaryMarkdown(): string {
  const entries = dataDictionary();
  return [
    '# Tables and views\n',
    'Made by `npm run warehouse`; do not edit. Types are those of DuckDB. `jobvault tables ARCHIVE TABLE` shows the same with an example of each column from an archive.\n',
    ...entries.map(sectionOf),
  ].join('\n');
}

function sectionOf({ name, meaning, columns }: DictionaryEntry): string {
  const rows = columns.map((column) => [
    `\`${column.name}\``,
    column.isKey ? `${column.type}, key` : column.type,
    column.meaning.replaceAll('|', '\\|'),
  ]);
  return `## ${name.replaceAll('_', '\\_')}\n\n${meaning}.\n\n${tableOf([[...HEADINGS], ...rows])}`;
}

/** As Prettier aligns it. */
function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = HEADINGS.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  const [head = [], ...rest] = rows.map((row) =>
    line(widths.map((width, at) => (row[at] ?? '').padEnd(width))),
  );
  return [head, line(widths.map((width) => '-'.repeat(width))), ...rest].join('');
}
