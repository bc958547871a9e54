/** The rules for paths of objects: relative, with `/`, never out of the archive. */

/** False for a path that is empty or absolute, or has an empty part, `.`, `..`, a backslash or NUL. */
export function isObjectPath(path: string): boolean {
  const isPart = (part: string): boolean => part !== '' && part !== '.' && part !== '..';
  return !/[\\\0]/.test(path) && path.split('/').every(isPart);
}

/**
 * jobvault makes all paths itself, so a bad one is a bug.
 *
 * @throws {RangeError}
 */
export function assertObjectPath(path: string): void {
  if (!isObjectPath(path)) throw new RangeError(`${JSON.stringify(path)} is not an object path`);
}
