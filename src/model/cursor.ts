/** Up to which commit somebody has loaded an archive, as `changes` prints it. */
export interface Cursor {
  /** Id of the archive; undefined where only a number is given. */
  readonly archiveId?: string | undefined;
  readonly commit: number;
}

/** Reads `57` or `01J…:57`. */
export function parseCursor(text: string): Cursor | undefined {
  const match = /^(?:([0-9A-HJKMNP-TV-Z]{26}):)?(\d{1,12})$/i.exec(text.trim());
  return match ? { archiveId: match[1]?.toUpperCase(), commit: Number(match[2]) } : undefined;
}
