/** Says who gives a command. */
import { userInfo } from 'node:os';
import { UsageError } from '../../base/usage-error.js';

/** @throws {UsageError} the user has no name, as in some containers */
export function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    throw new UsageError('this process has no login name; give --by');
  }
}
