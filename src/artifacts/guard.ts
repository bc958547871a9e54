/** Allows requests only to public addresses. Checks names and literal addresses before connecting. */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { scopeOf } from './public-address.js';
import { RefusedTargetError } from './refused-target-error.js';
import { TransferError } from './transfer-error.js';

/** `loopback` allows this machine itself but not its neighbours; `true` allows any address. */
export type PrivateNetwork = boolean | 'loopback';

/** A service on this machine keeps its files here, too. */
export function privateNetworkOf(baseUrl: string): 'loopback' | false {
  if (!URL.canParse(baseUrl)) return false;
  const { hostname } = new URL(baseUrl);
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return isLoopback ? 'loopback' : false;
}

export interface Guard {
  /**
   * Judges scheme, credentials and a literal address. Names are judged by `lookup`, which is not
   * called for literals.
   *
   * @throws {RefusedTargetError}
   */
  check(url: URL): void;
  /**
   * Resolves a name for a connection and fails with RefusedTargetError if any of its addresses is
   * refused. The connection goes to an address from this very answer, so a second answer (DNS
   * rebinding) changes nothing.
   */
  readonly lookup: LookupFunction;
  /**
   * Judges a name before a proxy is asked for it: the proxy connects, so that `lookup` never sees the
   * address. What the proxy resolves may differ from what we do; that much is left to its owner.
   *
   * @throws {RefusedTargetError}
   * @throws {TransferError} the name cannot be resolved here, and so not be judged
   */
  checkName(url: URL): Promise<void>;
}

export interface GuardOptions {
  readonly allowPrivateNetwork: PrivateNetwork;
  /** How names are resolved; the machine's resolver by default. */
  readonly lookup?: LookupFunction | undefined;
}

export function createGuard(options: GuardOptions): Guard {
  const { allowPrivateNetwork, lookup: resolve = systemLookup } = options;

  function isAllowed(address: string): boolean {
    if (allowPrivateNetwork === true) return true;
    const scope = scopeOf(address);
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
        `${hostname} has a name that does not resolve here, so that its address cannot be checked before a proxy is asked for it (--allow-private-network leaves that to the proxy)`,
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
