/** Allows requests only to public addresses. Checks names and literal addresses before connecting. */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { scopeOf } from './public-address.js';
import { RefusedTargetError, TransferError } from './artifact-errors.js';

/** `loopback` allows this machine but no others in its network, `only-loopback` nothing else; `true` allows any address. */
export type PrivateNetwork = boolean | 'loopback' | 'only-loopback';

/** `loopback` if the service is on this machine: its files are here as well. */
export function privateNetworkOf(baseUrl: string): 'loopback' | false {
  if (!URL.canParse(baseUrl)) return false;
  const { hostname } = new URL(baseUrl);
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return isLoopback ? 'loopback' : false;
}

export interface Guard {
  /**
   * Checks scheme, credentials and a literal address. Names are checked by `lookup`, which is not
   * called for literals.
   *
   * @throws {RefusedTargetError}
   */
  check(url: URL): void;
  /**
   * Resolves a name for a connection and fails with RefusedTargetError if any of its addresses is
   * refused. The connection uses an address from this same answer, which prevents DNS rebinding.
   */
  readonly lookup: LookupFunction;
  /**
   * Checks a name before a request goes to a proxy: the proxy connects, so `lookup` is not called. The
   * proxy may resolve the name differently; that is its operator's responsibility.
   *
   * @throws {RefusedTargetError}
   * @throws {TransferError} the name cannot be resolved here, so it cannot be checked
   */
  checkName(url: URL): Promise<void>;
}

export interface GuardOptions {
  readonly allowPrivateNetwork: PrivateNetwork;
  /** Resolves names. Default: the machine's resolver. */
  readonly lookup?: LookupFunction | undefined;
}

export function createGuard(options: GuardOptions): Guard {
  const { allowPrivateNetwork, lookup: resolve = systemLookup } = options;

  function isAllowed(address: string): boolean {
    if (allowPrivateNetwork === true) return true;
    const scope = scopeOf(address);
    if (allowPrivateNetwork === 'only-loopback') return scope === 'loopback';
    return scope === 'public' || (scope === 'loopback' && allowPrivateNetwork === 'loopback');
  }

  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, options, (error, address, family) => {
      if (error) {
        callback(error, address, family);
        return;
      }
      const refused = addressesOf(address).find((candidate) => !isAllowed(candidate));
      if (refused === undefined) callback(null, address, family);
      else callback(new RefusedTargetError(`${hostname} leads to ${refusal(refused)}`), '', 0);
    });
  };

  return {
    lookup,

    async checkName({ hostname }) {
      const address = hostname.replace(/^\[|\]$/g, '');
      if (allowPrivateNetwork === true || isIP(address) !== 0) return;
      const error = await new Promise<Error | null>((settle) => {
        lookup(hostname, { all: true }, settle);
      });
      if (error === null) return;
      if (error instanceof RefusedTargetError) throw error;
      throw new TransferError(
        `${hostname} does not resolve on this machine, so its address cannot be checked before a request to the proxy (--allow-private-network leaves the check to the proxy)`,
        { cause: error },
      );
    },

    check(url) {
      if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        throw new RefusedTargetError(`only http and https are fetched, not ${url.protocol}`);
      }
      if (url.username !== '' || url.password !== '') {
        throw new RefusedTargetError(`the URL of ${url.host} carries a user name or password`);
      }
      const address = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(address) !== 0 && !isAllowed(address))
        throw new RefusedTargetError(refusal(address));
    },
  };
}

function refusal(address: string): string {
  return `${address}, which is not a public address (--allow-private-network allows it)`;
}

function addressesOf(answer: string | LookupAddress[]): string[] {
  return typeof answer === 'string' ? [answer] : answer.map(({ address }) => address);
}
