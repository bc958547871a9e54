/** The API's listener: key, rate, faults, then one of the twelve operations in its envelope. */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { asObject, LIMITS, type JsonObject } from '../../model/records.js';
import { brokenApiAnswer, needsRightBody } from '../faults/api-fault-answer.js';
import type { ApiFault, Faults, SeenRequest } from '../faults/faults.js';
import type { Occasions } from '../faults/occasions.js';
import { sendAnswer, sleepUnlessClosing, type Answer } from '../faults/send-answer.js';
import { uuid4 } from '../seed/ids.js';
import { headerLinesOf, type Arrival, type TrafficStats } from '../stats.js';
import type { ApiContext, ApiRoute } from './api-call.js';
import { datasetRoutes } from './dataset-routes.js';
import { failureText, successText } from './envelope.js';
import type { KeyRing } from './key-ring.js';
import { characterCount, requiredText } from './parameters.js';
import type { RateWindow } from './rate-window.js';
import { Refusal, refusals } from './refusal.js';
import { sessionRoutes } from './session-routes.js';

export interface ApiServerParts {
  readonly context: ApiContext;
  readonly keys: KeyRing;
  readonly rate: RateWindow;
  readonly stats: TrafficStats;
  readonly occasions: Occasions;
  readonly closing: AbortSignal;
}

/** A caller may send long names, never whole files. */
const BODY_LIMIT_BYTES = 1024 * 1024;

/** Not yet listening. */
export function buildApiServer(parts: ApiServerParts): FastifyInstance {
  const app = Fastify({
    forceCloseConnections: true,
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: 1000 },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  for (const route of [...sessionRoutes, ...datasetRoutes]) {
    app.route({
      method: route.method,
      url: route.path,
      handler: (request, reply) => serve(route, request, reply, parts),
    });
  }
  app.setNotFoundHandler((_request, reply) =>
    reply
      .code(404)
      .type(JSON_TYPE)
      .send(failureText(300003, 'there is no such operation', false)),
  );
  app.setErrorHandler((error, _request, reply) => {
    const message = error instanceof Error ? error.message : 'bad request';
    return reply
      .code(400)
      .type(JSON_TYPE)
      .send(failureText(300001, message, false));
  });
  return app;
}

const JSON_TYPE = 'application/json; charset=utf-8';

async function serve(
  route: ApiRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ApiServerParts,
): Promise<void> {
  const { context, stats, closing } = parts;
  const { faults, clock } = context;
  const arrival = arrivalOf(route, request, context);
  stats.arrive(arrival, headerLinesOf(request.raw.rawHeaders));
  const nth = stats.requests[route.operation];
  reply.hijack();
  const jitter = faults.latencyJitterMs * context.random.fraction();
  await sleepUnlessClosing(faults.latencyMs + jitter, { clock, closing });
  const gate = (await hookFails({ ...arrival, nth }, faults))
    ? refusals.internal()
    : gateKept(route, request, parts);
  const rule = gate instanceof Refusal ? undefined : ruleFor(arrival, parts);
  const carryOut = !rule || rule.afterHandling === true || needsRightBody(rule.answer);
  const right =
    gate instanceof Refusal
      ? refusalAnswer(gate, route, context)
      : carryOut
        ? rightAnswer(route, gate, request, context)
        : { status: 200, headers: {}, body: Buffer.alloc(0) };
  if (right.status === 429) stats.rateLimited++;
  const { answer, manner } = rule
    ? brokenApiAnswer(rule.answer, right)
    : ({ answer: right, manner: { kind: 'whole' } } as const);
  if (manner.kind === 'whole') arrival.status = answer.status;
  const date = { date: new Date(clock.now()).toUTCString() };
  const dated = { ...answer, headers: { ...date, ...answer.headers } };
  await sendAnswer(reply.raw, dated, manner, { clock, closing });
}

/** A test's hook that throws is the test's business; the caller gets an answer all the same. */
async function hookFails(seen: SeenRequest, { beforeRequest }: Faults): Promise<boolean> {
  try {
    await beforeRequest?.(seen);
    return false;
  } catch {
    return true;
  }
}

/** The project of the key, or why the request goes no further. Refused ones do not count against the rate. */
function gateKept(
  route: ApiRoute,
  request: FastifyRequest,
  { context, keys, rate }: ApiServerParts,
): string | Refusal {
  const project = keys.projectOf(request.headers);
  if (project instanceof Refusal) return project;
  const waitMs = rate.admit(context.clock.monotonic());
  if (waitMs > 0) return refusals.rateLimit(Math.ceil(waitMs / 1000));
  const userId = textOf(inputOf(route, request)?.['user_id']);
  const refused = userId === undefined ? undefined : context.faults.refusedUsers[userId];
  if (refused === 1003) return refusals.insufficientCredentials();
  if (refused === 300002) return refusals.noPermission('this user may not be acted for');
  return project;
}

function ruleFor(arrival: Arrival, { context, occasions }: ApiServerParts): ApiFault | undefined {
  return occasions.strike(
    context.faults.api,
    (rule) =>
      (rule.operations?.includes(arrival.operation) ?? true) &&
      (rule.userId === undefined || rule.userId === arrival.userId) &&
      (rule.pathId === undefined || rule.pathId === arrival.pathId),
  );
}

function rightAnswer(
  route: ApiRoute,
  project: string,
  request: FastifyRequest,
  context: ApiContext,
): Answer {
  try {
    const trace = request.headers['x-pd-external-trace-id'];
    if (typeof trace === 'string' && characterCount(trace) > LIMITS.traceIdLength) {
      throw refusals.invalidParameter(
        `x-pd-external-trace-id must have at most ${LIMITS.traceIdLength} characters`,
      );
    }
    const input = inputOf(route, request);
    if (!input) throw refusals.invalidParameter('the body must be a JSON object');
    const userId = requiredText(input, 'user_id');
    const pathId = pathIdOf(request) ?? '';
    const data = route.carryOut({ project, userId, pathId, input }, context);
    return answerOf(200, successText(data, nestsCode(route)), route, context);
  } catch (error) {
    return refusalAnswer(error instanceof Refusal ? error : refusals.internal(), route, context);
  }
}

function refusalAnswer(refusal: Refusal, route: ApiRoute, context: ApiContext): Answer {
  const { status, serviceCode, message, headers } = refusal;
  // What stops at the gate (keys, rate, a crash) never got as far as the overview's own envelope.
  const nested = nestsCode(route) && serviceCode >= 300000;
  const answer = answerOf(status, failureText(serviceCode, message, nested), route, context);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function answerOf(status: number, text: string, route: ApiRoute, context: ApiContext): Answer {
  // Source: interface.md, section 2.1: on answers with status 200, but not of the overview.
  const traced = status === 200 && route.operation !== 'getDatasetOverview';
  return {
    status,
    headers: {
      'content-type': JSON_TYPE,
      ...(traced ? { 'x-pd-trace-id': uuid4(context.random) } : {}),
    },
    body: Buffer.from(text),
  };
}

function nestsCode({ operation }: ApiRoute): boolean {
  return operation === 'getDatasetOverview';
}

function arrivalOf(route: ApiRoute, request: FastifyRequest, { clock }: ApiContext): Arrival {
  return {
    operation: route.operation,
    atMs: clock.monotonic(),
    userId: textOf(inputOf(route, request)?.['user_id']),
    pathId: pathIdOf(request),
    status: 0,
  };
}

/** The query of a GET, the body of anything else; `undefined` when the body is no JSON object. */
function inputOf(route: ApiRoute, request: FastifyRequest): JsonObject | undefined {
  if (route.method === 'GET') return asObject(request.query);
  try {
    return asObject(JSON.parse(textOf(request.body) ?? ''));
  } catch {
    return undefined;
  }
}

function pathIdOf(request: FastifyRequest): string | undefined {
  return textOf(asObject(request.params)?.['id']);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
