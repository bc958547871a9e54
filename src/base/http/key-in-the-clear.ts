/** Tells of an API key that goes to another machine without encryption. */
import type { Logger } from '../logger.js';

/** Whether an address is this machine: nothing that is sent to it leaves it. */
export function isThisMachine({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** A sentence about the address of a service; undefined where the key is safe on its way, and of no address at all. */
export function keyInTheClear(baseUrl: string): string | undefined {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'http:' || isThisMachine(url)) return undefined;
  return `the API key and every answer go to ${url.host} unencrypted, because the base URL begins with http://: whoever is on the way can read and change them`;
}

export const ENCRYPTED = 'use an https:// address, or a tunnel that ends on this machine';

const warned = new WeakSet<Pick<Logger, 'warn'>>();

/** Once a log: a run may open the service several times. */
export function warnOfKeyInTheClear(logger: Pick<Logger, 'warn'>, baseUrl: string): void {
  const sentence = keyInTheClear(baseUrl);
  if (sentence === undefined || warned.has(logger)) return;
  warned.add(logger);
  logger.warn({}, `${sentence}; ${ENCRYPTED}`);
}
