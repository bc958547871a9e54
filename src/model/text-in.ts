/** The text in a field of a record or a cell of a row; null if it is missing or not a text. */
export function textIn(
  fields: Readonly<Record<string, unknown>> | undefined,
  name: string,
): string | null {
  const value = fields?.[name];
  return typeof value === 'string' ? value : null;
}

/** As `textIn`, but empty instead of null. */
export function textOrEmpty(fields: Readonly<Record<string, unknown>>, name: string): string {
  return textIn(fields, name) ?? '';
}
