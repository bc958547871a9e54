/** Says who gives a command. */
import type { forRequestSettings } from '../../config/search-settings.js';
import type { ValuesOf } from '../../config/resolve-settings.js';
import type { ForRequest } from '../../library/for-request.js';
import { UsageError } from '../../base/error.js';
import { userInfo } from 'node:os';
import type { Logger } from '../../base/logger.js';

/** @throws {UsageError} the user has no name, as in some containers */
export function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    throw new UsageError('this process has no login name; give --by');
  }
}

/** Who stands in the log for what a command records. */
export interface RecordedPerson {
  readonly name: string;
  /** To be called once the record stands: the log is evidence, so a login name that several people share is told. */
  readonly recorded: (logger: Pick<Logger, 'warn'>) => void;
}

/** Whom `--by` names, or who is logged in. @throws as `loginName` */
export function recordedPerson(by: string | undefined, login = loginName): RecordedPerson {
  if (by !== undefined) return { name: by, recorded: () => undefined };
  const name = login();
  return {
    name,
    recorded: (logger) => {
      if (name !== 'root') return;
      logger.warn({}, 'recorded as done by root, which names no person; --by says who it was');
    },
  };
}

/** The request that something is made for, and who makes it; undefined of none. @throws as `loginName` */
export function forRequestOf({ request: name, by }: ValuesOf<typeof forRequestSettings>): Pick<
  RecordedPerson,
  'recorded'
> & {
  readonly forRequest: ForRequest | undefined;
  /** Whom what is made names; undefined: nobody. */
  readonly by: string | undefined;
} {
  if (name === undefined) return { forRequest: undefined, by, recorded: () => undefined };
  const person = recordedPerson(by);
  return { forRequest: { name, by: person.name }, by: person.name, recorded: person.recorded };
}
