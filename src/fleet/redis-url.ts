/** Checks Redis URLs. Does not load the Redis client. */
import { UsageError } from '../base/error.js';
import { percentDecoded, shownAddress } from '../base/text/address.js';

/** @throws {UsageError} the message shows neither user nor password */
export function checkRedisUrl(url: string): void {
  if (URL.canParse(url) && isOfRedis(new URL(url))) return;
  throw new UsageError(
    `--redis is "${shownAddress(url)}"; allowed is redis://[user:password@]host[:port][/database], or rediss:// for TLS; ` +
      'in a password, / is written %2F, @ is %40, : is %3A, # is %23, ? is %3F and % is %25',
  );
}

/** The client would silently ignore a database that is not a number and use another one. */
function isOfRedis({ protocol, hostname, pathname, search, hash, username, password }: URL) {
  return (
    /^rediss?:$/.test(protocol) &&
    hostname !== '' &&
    /^(\/\d{0,9})?$/.test(pathname) &&
    !(search + hash).includes('@') && // otherwise the host is a part of the password
    [username, password, search].every((text) => percentDecoded(text) !== undefined)
  );
}
