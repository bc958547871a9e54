/** Quotes names and texts for SQL. */

export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function sqlList(texts: readonly string[]): string {
  return `[${texts.map(sqlText).join(', ')}]`;
}
