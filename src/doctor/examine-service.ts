/** Requests one page from the service and derives its findings from the answer. */
import type { Clock } from '../base/clock.js';
import { formatDuration } from '../base/duration.js';
import { JobvaultError, messageOf } from '../base/error.js';
import type { UserId } from '../model/ids.js';
import { AuthenticationError } from '../service/errors/authentication-error.js';
import { InvalidRequestError } from '../service/errors/invalid-request-error.js';
import type { Page, ServiceClient } from '../service/service-client.js';
import { failed, ok, unknown, warning, type Finding } from './finding.js';

export interface ServiceCheck {
  readonly service: ServiceClient;
  readonly baseUrl: string;
  /** `host:port` of the proxy, if any. */
  readonly proxy: string | undefined;
  readonly userId: UserId;
  readonly pageSize: number;
  /** Requests a second, as configured. */
  readonly rate: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** Requests per second that the service allows a whole team. */
const TEAM_RATE = 20;
const TOLERATED_SKEW_MS = 60_000;
/** One retry: a short outage is not a finding, and requests count against the team's limit. */
const ATTEMPTS = 2;

export async function examineService(asked: ServiceCheck): Promise<Finding[]> {
  const { service, clock, pageSize, userId, signal } = asked;
  const begun = clock.monotonic();
  try {
    const request = { userId, pageSize, signal, maxAttempts: ATTEMPTS };
    const page = await service.listSessions(request);
    const took = clock.monotonic() - begun;
    return [
      ok('service', `${asked.baseUrl} answers${proxyText(asked)} (${formatDuration(took)})`),
      ok('API key', `accepted, and may act for ${userId}`),
      ...sessionsOf(page, userId),
      pageSizeOf(page, pageSize),
      rateOf(asked),
      clockOf(asked),
    ];
  } catch (error) {
    signal?.throwIfAborted();
    return [...findingsOf(error, asked), rateOf(asked)];
  }
}

function proxyText({ proxy }: ServiceCheck): string {
  return proxy === undefined ? '' : ` through the proxy ${proxy}`;
}

function findingsOf(error: unknown, asked: ServiceCheck): Finding[] {
  const { baseUrl, userId } = asked;
  const told = messageOf(error);
  const answers = ok('service', `${baseUrl} answers${proxyText(asked)}`);
  const page = unknown('page size', 'not checked: there was no page');
  if (error instanceof AuthenticationError) {
    const mend =
      'set JOBVAULT_API_KEY or --api-key-file to a key of this service; --api-key-header names its header';
    return [answers, failed('API key', told, mend, 'authentication'), page];
  }
  if (error instanceof InvalidRequestError) {
    const mend = 'a smaller --page-size saves a request per run; export finds a size that works';
    return [answers, ok('API key', 'accepted'), warning('page size', told, mend)];
  }
  if (error instanceof JobvaultError && error.disposition === 'skip') {
    const mend = `is ${userId} a user of this project? name another with --user, or ask who issued the key`;
    return [answers, failed('user', told, mend, 'authentication'), page];
  }
  const failure = error instanceof JobvaultError ? error.failure : 'unexpected';
  const mend =
    'is --base-url right, and can this machine reach it? HTTPS_PROXY and NODE_EXTRA_CA_CERTS are used';
  return [failed('service', told, mend, failure), unknown('API key', 'not checked'), page];
}

/** A wrong user id gives an empty list, too. */
function sessionsOf({ records, totalItems }: Page<unknown>, userId: UserId): Finding[] {
  if (records.length > 0 || (totalItems ?? 0) > 0) return [];
  const mend = 'is the id right? the service gives an empty list for an unknown id, too';
  return [warning('user', `the service lists no session of ${userId}`, mend)];
}

function pageSizeOf({ pageSize: granted }: Page<unknown>, asked: number): Finding {
  const told = `${granted} granted of ${asked} requested`;
  return ok('page size', granted < asked ? `${told}; export uses what is granted` : told);
}

function rateOf({ rate, service }: ServiceCheck): Finding {
  const told = `at most ${rate} requests per second`;
  if (service.stats.rateLimited > 0) {
    const mend = 'other programs use the limit of the team; lower --rate to share it';
    return warning('rate', `${told}, and the service answers that this is too much now`, mend);
  }
  if (rate > TEAM_RATE) {
    const mend = `the service allows ${TEAM_RATE} per team; lower --rate`;
    return warning('rate', told, mend);
  }
  return ok('rate', `${told}; the service's limit is ${TEAM_RATE} per team`);
}

function clockOf({ service }: ServiceCheck): Finding {
  const { clockGapMs: gapMs } = service;
  if (gapMs === null) return unknown('clock', 'not checked: the service sends no time');
  if (Math.abs(gapMs) <= TOLERATED_SKEW_MS) return ok('clock', 'agrees with the service');
  const direction = gapMs < 0 ? 'behind' : 'ahead of';
  const told = `${formatDuration(Math.abs(gapMs))} ${direction} the service`;
  return warning(
    'clock',
    told,
    'synchronise the clock (NTP): dates in the archive and signatures depend on it',
  );
}
