/** Sends pings and webhooks when a run begins and ends. A failed delivery is logged and does not affect the run. */
import type { Logger } from '../base/logger.js';
import type { ProxySettings } from '../base/http/proxy.js';
import { post, type Message } from './post.js';
import { reportText } from './report-text.js';
import type { RunReport } from './run-report.js';
import { webhookFormatOf, webhookMessage, type WebhookFormat } from './webhook.js';

export interface NoticeAddresses {
  /** Called at the begin and end of every run. */
  readonly pingUrl?: URL | undefined;
  /** Called for runs that end with gaps or fail. */
  readonly webhookUrl?: URL | undefined;
  /** Default: derived from the address. */
  readonly webhookFormat?: WebhookFormat | undefined;
  /** Default: no proxy. */
  readonly proxy?: ProxySettings | undefined;
}

export class Notices {
  #begun: Promise<void> = Promise.resolve();

  constructor(readonly addresses: NoticeAddresses) {}

  /** Does not delay the run. */
  begun(logger: Logger): void {
    const { pingUrl } = this.addresses;
    if (!pingUrl) return;
    this.#begun = this.#deliver('ping', pingAddress(pingUrl, 'start'), plain(''), logger);
  }

  /** Resolves within seconds, whatever happens. */
  async ended(report: RunReport, logger: Logger): Promise<void> {
    const { pingUrl, webhookUrl, webhookFormat } = this.addresses;
    await this.#begun; // the end must not overtake the begin
    const format = webhookFormat ?? (webhookUrl ? webhookFormatOf(webhookUrl) : 'json');
    await Promise.all([
      pingUrl &&
        this.#deliver(
          'ping',
          pingAddress(pingUrl, report.exitCode),
          plain(reportText(report)),
          logger,
        ),
      webhookUrl &&
        report.exitCode !== 0 &&
        this.#deliver('webhook', webhookUrl, webhookMessage(report, format), logger),
    ]);
  }

  async #deliver(what: string, address: URL, message: Message, logger: Logger): Promise<void> {
    const failure = await post(address, message, this.addresses.proxy);
    if (failure === undefined) logger.debug({ host: address.host }, `${what} delivered`);
    else logger.warn({ reason: failure }, `the ${what} could not be delivered`);
  }
}

function plain(body: string): Message {
  return { body, contentType: 'text/plain; charset=utf-8' };
}

/** The URLs of a dead man's switch in the style of healthchecks.io: `/start`, the plain URL for success, `/<exit code>`. */
export function pingAddress(base: URL, what: 'start' | number): URL {
  const address = new URL(base);
  if (what === 0) return address;
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/${what}`;
  return address;
}
