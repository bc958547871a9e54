/** How Redis is named, and what of the name is a secret; without a connection, so that naming it costs nothing. */
import { redactUrl } from '../base/redact.js';
import { UsageError } from '../base/usage-error.js';

/** @throws {UsageError} the message shows neither user nor password */
export function checkRedisUrl(url: string): void {
  const isRedis = URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol);
  if (isRedis && new URL(url).hostname !== '') return;
  throw new UsageError(
    `--redis is "${redactUrl(url)}"; allowed is redis://[user:password@]host[:port][/database], or rediss:// for TLS`,
  );
}

/** What must never be printed of a URL. */
export function redisSecrets(url: string): string[] {
  const { password } = URL.canParse(url) ? new URL(url) : { password: '' };
  return password === '' ? [] : [password, decoded(password)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
