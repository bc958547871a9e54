import { JobvaultError } from '../base/error.js';

/** There is a symbolic link below an archive's directory, which may lead out of the archive. */
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
      `${path} in ${location} is a symbolic link; jobvault follows none inside an archive, because it may lead out of it. Replace it by the directory or file itself`,
    );
  }
}
