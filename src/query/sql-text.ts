/** Names and texts as SQL writes them, so that no data can end a text early. */

export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function sqlList(texts: readonly string[]): string {
  return `[${texts.map(sqlText).join(', ')}]`;
}
