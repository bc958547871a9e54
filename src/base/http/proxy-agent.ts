/** An agent for `node:http` and `node:https` that reaches each host directly or through its proxy. */
import { Agent as HttpAgent, type ClientRequest } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { Agent, type AgentConnectOpts } from 'agent-base';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { proxyFor, type Proxy, type ProxySettings } from './proxy.js';

export interface ProxyAgentOptions {
  /** Read at each request. */
  readonly settings: () => ProxySettings;
  /** Connections to one host at a time. Default: as many as are asked for. */
  readonly maxSockets?: number | undefined;
}

/** Requests fail with a {@link UsageError} where the proxy's address is not valid. */
export class ProxyAgent extends Agent {
  readonly #direct: HttpAgent;
  readonly #directTls: HttpsAgent;
  /** By protocol of the target and address of the proxy. */
  readonly #proxied = new Map<string, HttpAgent>();
  readonly #settings: () => ProxySettings;
  readonly #maxSockets: number;

  constructor({ settings, maxSockets = Infinity }: ProxyAgentOptions) {
    super({ maxSockets });
    const kept = { keepAlive: true, maxSockets };
    this.#direct = new HttpAgent(kept);
    this.#directTls = new HttpsAgent(kept);
    this.#settings = settings;
    this.#maxSockets = maxSockets;
  }

  override connect(request: ClientRequest, { secureEndpoint }: AgentConnectOpts): HttpAgent {
    const scheme = secureEndpoint ? 'https' : 'http';
    const target = new URL(`${scheme}://${String(request.getHeader('host'))}`);
    const proxy = proxyFor(target, this.#settings());
    if (!proxy) return secureEndpoint ? this.#directTls : this.#direct;
    const key = `${scheme} ${proxy.address}`;
    const known = this.#proxied.get(key);
    if (known) return known;
    const agent = this.#through(proxy, secureEndpoint);
    this.#proxied.set(key, agent);
    return agent;
  }

  override destroy(): void {
    for (const agent of [this.#direct, this.#directTls, ...this.#proxied.values()]) agent.destroy();
    super.destroy();
  }

  #through(proxy: Proxy, isTls: boolean): HttpAgent {
    const maxSockets = this.#maxSockets;
    if (isTls) return new HttpsProxyAgent(proxy.address, { keepAlive: true, maxSockets });
    // a request on a kept connection would be sent as if there were no proxy
    return new HttpProxyAgent(proxy.address, { keepAlive: false, maxSockets });
  }
}
