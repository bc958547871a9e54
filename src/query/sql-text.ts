/** Quotes names and texts for SQL. */

export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** @param iso ISO 8601, or null */
export function instantText(iso: string | null): string {
  return iso === null ? 'NULL::TIMESTAMPTZ' : `TIMESTAMPTZ ${sqlText(iso)}`;
}

export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function sqlList(texts: readonly string[]): string {
  return `[${texts.map(sqlText).join(', ')}]`;
}
