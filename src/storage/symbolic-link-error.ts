import { JobvaultError } from '../base/error.js';

/** A symbolic link stands below an archive's directory: whatever was written or read through it could lie anywhere. */
export class SymbolicLinkError extends JobvaultError {
  override readonly name = 'SymbolicLinkError';
  readonly code = 'STORAGE_SYMBOLIC_LINK';
  readonly disposition = 'fatal';
  readonly failure = 'storage';

  /** @param path within the archive, of the link itself */
  constructor(
    readonly path: string,
    location: string,
  ) {
    super(
      `${path} in ${location} is a symbolic link, and none is followed inside an archive: it may lead out of it. Put the directory or file itself in its place`,
    );
  }
}
