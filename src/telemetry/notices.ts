/** Tells others that a run has begun and how it has ended. What cannot be delivered is logged and changes nothing. */
import type { Logger } from '../base/logger.js';
import type { ProxySettings } from '../base/http/proxy.js';
import { post, type Message } from './post.js';
import { reportText } from './report-text.js';
import type { RunReport } from './run-report.js';
import { webhookFormatOf, webhookMessage, type WebhookFormat } from './webhook.js';

export interface NoticeAddresses {
  /** Told of every run's begin and end. */
  readonly pingUrl?: URL | undefined;
  /** Told of runs that end with gaps or fail. */
  readonly webhookUrl?: URL | undefined;
  /** Default: what the address suggests. */
  readonly webhookFormat?: WebhookFormat | undefined;
  /** The way there. Default: the direct one. */
  readonly proxy?: ProxySettings | undefined;
}

export class Notices {
  #begun: Promise<void> = Promise.resolve();

  constructor(readonly addresses: NoticeAddresses) {}

  /** Does not hold up the run. */
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
    const trouble = await post(address, message, this.addresses.proxy);
    if (trouble === undefined) logger.debug({ host: address.host }, `${what} delivered`);
    else logger.warn({ reason: trouble }, `the ${what} could not be delivered`);
  }
}

function plain(body: string): Message {
  return { body, contentType: 'text/plain; charset=utf-8' };
}

/** The addresses of a dead man's switch as healthchecks.io has them: `/start`, plain for success, `/<exit code>`. */
export function pingAddress(base: URL, what: 'start' | number): URL {
  const address = new URL(base);
  if (what === 0) return address;
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/${what}`;
  return address;
}
