/** CSV as RFC 4180 has it: quotes only where they are needed. */

export interface CsvStyle {
  /** As spreadsheets on Windows save it: a byte order mark and CRLF. */
  readonly windows?: boolean;
}

export function csvText(
  rows: readonly (readonly (string | number)[])[],
  style: CsvStyle = {},
): string {
  const end = style.windows ? '\r\n' : '\n';
  const lines = rows.map((row) => row.map(cell).join(',') + end);
  return (style.windows ? '\ufeff' : '') + lines.join('');
}

function cell(value: string | number): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
