/** A file as the file host sends it. */
export interface FileContent {
  readonly bytes: Uint8Array;
  /** The `Content-Type`. */
  readonly mediaType: string;
}
