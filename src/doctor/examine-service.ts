/** Requests one page from the service, twice, and derives its findings from the answers. */
import type { Runtime, RuntimeOptions } from '../base/runtime.js';
import { formatDuration } from '../base/units.js';
import { JobvaultError, messageOf, type FailureKind } from '../base/error.js';
import type { UserId } from '../model/ids.js';
import { AuthenticationError, InvalidRequestError } from '../service/service-errors.js';
import type { Page, ServiceClient } from '../service/service-client.js';

/** The result of one check. */
export interface Finding {
  /** One or two words: `page size`. */
  readonly check: string;
  /** `unknown`: not checked, because an earlier check failed. */
  readonly status: 'ok' | 'warning' | 'failed' | 'unknown';
  readonly message: string;
  /** How to fix it; null if there is nothing to fix. */
  readonly fix: string | null;
  /** How an export would fail; null unless the check failed. */
  readonly failure: FailureKind | null;
  /** The failed check that is the reason why this one was not made; null of every other finding. */
  readonly because: string | null;
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, fix: null, failure: null, because: null };
}

export function warning(check: string, message: string, fix: string): Finding {
  return { check, status: 'warning', message, fix, failure: null, because: null };
}

export function failed(check: string, message: string, fix: string, failure: FailureKind): Finding {
  return { check, status: 'failed', message, fix, failure, because: null };
}

/** @param because the check that has failed; default: there is another reason, which the message says */
export function unknown(check: string, message: string, because: string | null = null): Finding {
  return { check, status: 'unknown', message, fix: null, failure: null, because };
}

interface ServiceCheck extends Pick<Runtime, 'clock'>, Pick<RuntimeOptions, 'signal'> {
  readonly service: ServiceClient;
  readonly baseUrl: string;
  /** Where the API key is from, as a phrase. */
  readonly keyPlace: string;
  /** `host:port` of the proxy, if any. */
  readonly proxy: string | undefined;
  readonly userId: UserId;
  /** The other users of a list of everybody: some of them are asked for where the service lists nothing of the first. */
  readonly others: readonly UserId[];
  /** Whether nobody of a list of everybody may have used the service yet. */
  readonly allowUnlisted: boolean;
  readonly pageSize: number;
  /** Requests a second, as configured. */
  readonly rate: number;
}

/** Requests per second that the service allows per team. */
const TEAM_RATE = 20;
const TOLERATED_SKEW_MS = 60_000;
/** One retry: a short outage is not a finding, and each request counts towards the team's limit. */
const ATTEMPTS = 2;

export async function examineService(options: ServiceCheck): Promise<Finding[]> {
  const { service, clock, pageSize, userId, signal } = options;
  const sentAtMs = clock.monotonic();
  try {
    const request = { userId, pageSize, signal, maxAttempts: ATTEMPTS };
    const page = await service.listSessions(request);
    const durationMs = clock.monotonic() - sentAtMs;
    const cache = await cacheOf(page, options);
    return [
      ok(
        'service',
        `${options.baseUrl} answers${proxyText(options)} (${formatDuration(durationMs)})`,
      ),
      ok('API key', hasSessions(page) ? `accepted, and may act for ${userId}` : 'accepted'),
      ...(await sessionsOf(page, options)),
      pageSizeOf(page, pageSize),
      cache,
      rateOf(options),
      clockOf(options),
    ];
  } catch (error) {
    signal?.throwIfAborted();
    return [...findingsOf(error, options), rateOf(options)];
  }
}

function proxyText({ proxy }: ServiceCheck): string {
  return proxy === undefined ? '' : ` through the proxy ${proxy}`;
}

function findingsOf(error: unknown, options: ServiceCheck): Finding[] {
  const { baseUrl, keyPlace, userId } = options;
  const message = messageOf(error);
  const answers = ok('service', `${baseUrl} answers${proxyText(options)}`);
  const noPage = (because: string) =>
    unknown('page size', 'not checked: the service sent no page', because);
  if (error instanceof AuthenticationError) {
    const fix = `check ${keyPlace}: it must be a key of this service; --api-key-header names its header`;
    return [answers, failed('API key', message, fix, 'authentication'), noPage('API key')];
  }
  if (error instanceof InvalidRequestError) {
    const fix = 'a smaller --page-size saves a request per run; export finds a size that works';
    return [answers, ok('API key', 'accepted'), warning('page size', message, fix)];
  }
  if (error instanceof JobvaultError && error.disposition === 'skip') {
    const fix = `is ${userId} a user of this project? name another with --user, or ask the issuer of the key`;
    return [answers, failed('user', message, fix, 'authentication'), noPage('user')];
  }
  const failure = error instanceof JobvaultError ? error.failure : 'unexpected';
  const fix =
    options.proxy === undefined
      ? 'is --base-url right, and can this machine reach it? HTTPS_PROXY and NODE_EXTRA_CA_CERTS are used'
      : `is the proxy ${options.proxy} running, its address right in HTTPS_PROXY or HTTP_PROXY, and can it reach --base-url? NO_PROXY names what is reached without it`;
  return [
    failed('service', message, fix, failure),
    unknown('API key', 'not checked', 'service'),
    noPage('service'),
  ];
}

/** How many users of a list are asked for where one after the other is not known: ten seconds at the team's rate. */
const ASKED = 200;

/** The service also sends an empty list for a wrong user id. */
async function sessionsOf(page: Page<unknown>, options: ServiceCheck): Promise<Finding[]> {
  const { service, userId, others, allowUnlisted, signal } = options;
  if (hasSessions(page)) return [];
  const asked = spread(others, ASKED - 1);
  for (const other of asked) {
    const request = { userId: other, pageSize: 10, signal, maxAttempts: ATTEMPTS };
    const answer = await service.listSessions(request).catch(() => undefined);
    signal?.throwIfAborted();
    if (!answer || hasSessions(answer)) return [emptyOf(userId)];
  }
  if (asked.length === 0) return [emptyOf(userId)];
  const all =
    asked.length === others.length
      ? `none of the ${others.length + 1} ids of the list of users is known to the service`
      : `the service lists no session of ${asked.length + 1} users, from all over the list of ${others.length + 1}`;
  const mend =
    'check the users file, and that the API key is one of this project; allow-unknown-users where nobody has used it yet';
  return [allowUnlisted ? warning('user', all, mend) : failed('user', all, mend, 'usage')];
}

/** As many of a list, from its begin to its end: new users may stand together. */
function spread<T>(list: readonly T[], most: number): readonly T[] {
  const step = Math.max(1, list.length / most);
  return list.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}

function hasSessions({ records, totalItems }: Page<unknown>): boolean {
  return records.length > 0 || (totalItems ?? 0) > 0;
}

function emptyOf(userId: UserId): Finding {
  const fix = 'is the id right? the service also sends an empty list for an unknown id';
  return warning('user', `the service lists no session of ${userId}`, fix);
}

function pageSizeOf({ pageSize: granted }: Page<unknown>, requested: number): Finding {
  const message = `${granted} granted of ${requested} requested`;
  return ok(
    'page size',
    granted < requested ? `${message}; export uses the granted size` : message,
  );
}

/** The same is asked for once more: a cache that keeps answers has this one by now. */
async function cacheOf(page: Page<unknown>, options: ServiceCheck): Promise<Finding> {
  const { service, userId, pageSize, signal } = options;
  let { stale } = page.served;
  try {
    const again = { userId, pageSize, signal, maxAttempts: ATTEMPTS };
    stale ??= (await service.listSessions(again)).served.stale;
  } catch (error) {
    signal?.throwIfAborted();
    return unknown('cache', `not checked: ${messageOf(error)}`);
  }
  if (stale === undefined) return ok('cache', 'none answers in place of the service');
  return warning(
    'cache',
    `a cache answers in place of the service (${stale}), though jobvault asks past it`,
    'let requests to /v2/team pass it; as long as it answers, exports have gaps and nothing is deleted',
  );
}

function rateOf({ rate, service }: ServiceCheck): Finding {
  const message = `at most ${rate} requests per second`;
  if (service.stats.rateLimited > 0) {
    const fix = "other programs use the team's limit; lower --rate to share it";
    return warning('rate', `${message}, but the service answers with status 429`, fix);
  }
  if (rate > TEAM_RATE) {
    const fix = `the service allows ${TEAM_RATE} per team; lower --rate`;
    return warning('rate', message, fix);
  }
  return ok('rate', `${message}; the service's limit is ${TEAM_RATE} per team`);
}

function clockOf({ service }: ServiceCheck): Finding {
  const { clockGapMs: gapMs } = service;
  if (gapMs === null) return unknown('clock', 'not checked: the service sends no time');
  if (Math.abs(gapMs) <= TOLERATED_SKEW_MS) return ok('clock', 'agrees with the service');
  const direction = gapMs < 0 ? 'behind' : 'ahead of';
  return warning(
    'clock',
    `${formatDuration(Math.abs(gapMs))} ${direction} the service`,
    'synchronise the clock (NTP): dates in the archive and signatures depend on it',
  );
}
