/** What may be the path of an object: relative, with `/`, never out of the archive. */

/**
 * Paths are made by jobvault itself, so a bad one is a bug or a commit that was tampered with.
 *
 * @throws {RangeError} the path is empty, absolute, or has an empty part, `.`, `..`, `\` or NUL
 */
export function assertObjectPath(path: string): void {
  const parts = path.split('/');
  if (/[\\\0]/.test(path) || parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw new RangeError(`${JSON.stringify(path)} is no path of an object`);
  }
}
