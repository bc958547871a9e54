/** How Redis is named, and what of the name is a secret; without a connection, so that naming it costs nothing. */
import { percentDecoded } from '../base/text/percent-decoded.js';
import { redactUrl } from '../base/text/redact.js';
import { UsageError } from '../base/usage-error.js';

/** @throws {UsageError} the message shows neither user nor password */
export function checkRedisUrl(url: string): void {
  if (URL.canParse(url) && isOfRedis(new URL(url))) return;
  throw new UsageError(
    `--redis is "${shown(url)}"; allowed is redis://[user:password@]host[:port][/database], or rediss:// for TLS; ` +
      'in a password, / is written %2F, @ is %40, : is %3A, # is %23, ? is %3F and % is %25',
  );
}

/** What must never be printed of a URL. */
export function redisSecrets(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { password, searchParams } = new URL(url);
  return [
    password,
    percentDecoded(password) ?? password,
    ...searchParams.getAll('password'),
  ].filter((secret) => secret !== '');
}

/** A database that is no number would be passed over in silence, and another one used. */
function isOfRedis({ protocol, hostname, pathname, search, hash, username, password }: URL) {
  return (
    /^rediss?:$/.test(protocol) &&
    hostname !== '' &&
    /^(\/\d{0,9})?$/.test(pathname) &&
    !(search + hash).includes('@') && // else the host is a piece of the password
    [username, password, search].every((text) => percentDecoded(text) !== undefined)
  );
}

/** What cannot be read may hold a password anywhere. */
function shown(url: string): string {
  if (!URL.canParse(url)) return `${/^[a-z][a-z0-9+.-]*:\/\//i.exec(url)?.[0] ?? ''}…`;
  return redactUrl(url.replace(/^([a-z][a-z0-9+.-]*:\/*)[\s\S]*@/i, '$1'));
}
