/** Asks the service for one page, and learns from the answer whatever can be learned of it. */
import type { Clock } from '../base/clock.js';
import { formatDuration } from '../base/duration.js';
import { JobvaultError, messageOf } from '../base/error.js';
import type { UserId } from '../model/ids.js';
import { AuthenticationError } from '../service/errors/authentication-error.js';
import { InvalidRequestError } from '../service/errors/invalid-request-error.js';
import type { Page, ServiceClient } from '../service/service-client.js';
import { failed, ok, unknown, warning, type Finding } from './finding.js';

export interface ServiceUnderExamination {
  readonly service: ServiceClient;
  readonly baseUrl: string;
  /** `host:port` of the proxy that is in between, if any. */
  readonly proxy: string | undefined;
  readonly userId: UserId;
  readonly pageSize: number;
  /** Requests a second, as configured. */
  readonly rate: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** Requests a second that the service allows a whole team. */
const TEAM_RATE = 20;
const TOLERATED_SKEW_MS = 60_000;
/** A blip is no finding; the team's budget is not the doctor's to spend. */
const ATTEMPTS = 2;

export async function examineService(asked: ServiceUnderExamination): Promise<Finding[]> {
  const { service, clock, pageSize, userId, signal } = asked;
  const begun = clock.monotonic();
  try {
    const request = { userId, pageSize, signal, maxAttempts: ATTEMPTS };
    const page = await service.listSessions(request);
    const took = clock.monotonic() - begun;
    return [
      ok('service', `${asked.baseUrl} answers${wayOf(asked)} (${formatDuration(took)})`),
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

function wayOf({ proxy }: ServiceUnderExamination): string {
  return proxy === undefined ? '' : ` through the proxy ${proxy}`;
}

function findingsOf(error: unknown, asked: ServiceUnderExamination): Finding[] {
  const { baseUrl, userId } = asked;
  const told = messageOf(error);
  const answers = ok('service', `${baseUrl} answers${wayOf(asked)}`);
  const page = unknown('page size', 'no page was granted');
  if (error instanceof AuthenticationError) {
    const mend =
      'set JOBVAULT_API_KEY or --api-key-file to a key of this service; --api-key-header names its header';
    return [answers, failed('API key', told, mend, 'authentication'), page];
  }
  if (error instanceof InvalidRequestError) {
    const mend =
      'a smaller --page-size saves the first request of a run; export finds one by itself';
    return [answers, ok('API key', 'accepted'), warning('page size', told, mend)];
  }
  if (error instanceof JobvaultError && error.disposition === 'skip') {
    const mend = `is ${userId} a user of this project? name another with --user, or ask whoever issued the key`;
    return [answers, failed('user', told, mend, 'authentication'), page];
  }
  const failure = error instanceof JobvaultError ? error.failure : 'unexpected';
  const mend =
    'is --base-url right, and can this machine reach it? HTTPS_PROXY and NODE_EXTRA_CA_CERTS are honoured';
  return [failed('service', told, mend, failure), unknown('API key', 'not tried'), page];
}

/** An empty list is what a wrong id gives, too. */
function sessionsOf({ records, totalItems }: Page<unknown>, userId: UserId): Finding[] {
  if (records.length > 0 || (totalItems ?? 0) > 0) return [];
  const mend = 'is the id right? the service lists nothing for an id that nobody has, either';
  return [warning('user', `the service lists no session of ${userId}`, mend)];
}

function pageSizeOf({ pageSize: granted }: Page<unknown>, asked: number): Finding {
  const told = `${granted} granted where ${asked} were asked for`;
  return ok('page size', granted < asked ? `${told}; export goes along with that` : told);
}

function rateOf({ rate, service }: ServiceUnderExamination): Finding {
  const told = `${rate} requests a second at most`;
  if (service.stats.rateLimited > 0) {
    const mend = 'others use up what the team may ask for; a lower --rate leaves them some of it';
    return warning('rate', `${told}, and the service says it is too much just now`, mend);
  }
  if (rate > TEAM_RATE) {
    const mend = `the service is known to allow ${TEAM_RATE} to a whole team; lower --rate`;
    return warning('rate', told, mend);
  }
  return ok('rate', `${told}; the service's limit is ${TEAM_RATE} per team`);
}

function clockOf({ service }: ServiceUnderExamination): Finding {
  const { clockGapMs: gapMs } = service;
  if (gapMs === null) return unknown('clock', 'the service does not tell the time');
  if (Math.abs(gapMs) <= TOLERATED_SKEW_MS) return ok('clock', "agrees with the service's");
  const direction = gapMs < 0 ? 'behind' : 'ahead of';
  const told = `${formatDuration(Math.abs(gapMs))} ${direction} the service's`;
  return warning('clock', told, 'let NTP set it: dates in the archive and signatures depend on it');
}
