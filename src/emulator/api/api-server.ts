/** The API's HTTP server: checks key and rate, applies faults, and answers one of the twelve operations in its envelope. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import createRouter, { type HTTPMethod } from 'find-my-way';
import { parseJson } from '../../base/text/parse-json.js';
import { OPERATION_NAMES, operationShape, type OperationName } from '../../model/operations.js';
import { asObject, LIMITS, type JsonObject } from '../../model/records.js';
import {
  type ApiFault,
  type Faults,
  type SeenRequest,
  type Occasions,
  sendAnswer,
  sleepUnlessClosing,
  type Answer,
  type Reply,
} from '../faults/faults.js';
import { uuid4 } from '../seed/seeded-ids.js';
import { headerLinesOf, type Arrival, type TrafficStats } from '../stats.js';
import { type ApiContext, type Handlers, Refusal, refusals, type RateWindow } from './api-call.js';
import { type KeyRing } from './key-ring.js';
import { sessionHandlers } from './operation-routes.js';
import { datasetHandlers } from './dataset-handlers.js';
import { characterCount, askedUser } from './page.js';
import { needsRightBody, brokenApiAnswer } from './broken-api-answer.js';

export interface ApiServerParts {
  readonly handlers: Handlers;
  readonly context: ApiContext;
  readonly keys: KeyRing;
  readonly rate: RateWindow;
  readonly stats: TrafficStats;
  readonly occasions: Occasions;
  readonly closing: AbortSignal;
}

/** The twelve operations over the emulator's data. */
export const EMULATED_HANDLERS: Handlers = { ...sessionHandlers, ...datasetHandlers };

/** Enough for long names; no operation takes a file. */
const BODY_LIMIT_BYTES = 1024 * 1024;
const MAX_PARAMETER_LENGTH = 1000;
/** Longer than clients keep an idle connection, so that none is closed while a request is on its way. */
export const KEEP_ALIVE_MS = 72_000;
const JSON_TYPE = 'application/json; charset=utf-8';

/** A request with a known operation. */
interface ApiRequest {
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly pathId: string | undefined;
  /** The query of a GET, the body of anything else; undefined if the body is not a JSON object. */
  readonly input: JsonObject | undefined;
}

/** The server does not listen yet. */
export function buildApiServer(parts: ApiServerParts): Server {
  const router = buildRouter();
  const server = createServer((message, response) => {
    answer(router, message, response, parts).catch(() => response.destroy());
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

type Router = ReturnType<typeof buildRouter>;

function buildRouter() {
  const router = createRouter({
    maxParamLength: MAX_PARAMETER_LENGTH,
    querystringParser: (query) => ({ ...parseQuery(query) }),
  });
  for (const name of OPERATION_NAMES) {
    const { method, path } = operationShape(name);
    router.on(method, path.replace('{id}', ':id'), () => undefined, name);
  }
  return router;
}

async function answer(
  router: Router,
  message: IncomingMessage,
  response: ServerResponse,
  parts: ApiServerParts,
): Promise<void> {
  const found = router.find((message.method ?? 'GET') as HTTPMethod, message.url ?? '/');
  if (!found) {
    sendFailure(response, 404, 300003, 'unknown operation');
    return;
  }
  const operation = found.store as OperationName;
  const body = await bodyOf(message);
  if (body === undefined) {
    sendFailure(response, 413, 300001, `the body has more than ${BODY_LIMIT_BYTES} bytes`);
    return;
  }
  const input =
    operationShape(operation).method === 'GET' ? asObject(found.searchParams) : objectIn(body);
  const { headers, rawHeaders } = message;
  const pathId = textOf(found.params['id']);
  await serve(operation, { headers, rawHeaders, pathId, input }, response, parts);
}

/** Undefined if it is too long. */
async function bodyOf(message: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_LIMIT_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function sendFailure(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
): void {
  response.writeHead(status, { 'content-type': JSON_TYPE, connection: 'close' });
  response.end(failureText(code, message, false));
}

async function serve(
  operation: OperationName,
  request: ApiRequest,
  response: ServerResponse,
  parts: ApiServerParts,
): Promise<void> {
  const { context, stats, closing } = parts;
  const { faults, clock } = context;
  const arrival = arrivalOf(operation, request, context);
  stats.arrive(arrival, headerLinesOf(request.rawHeaders));
  const nth = stats.requests[operation];
  await sleepUnlessClosing(faults.latencyMs, { clock, closing });
  const access = (await hookFails({ ...arrival, nth }, faults))
    ? refusals.internal()
    : checkAccess(request, parts);
  const rule = access instanceof Refusal ? undefined : ruleFor(arrival, parts);
  const carryOut = !rule || rule.afterHandling === true || needsRightBody(rule.answer);
  const right =
    access instanceof Refusal
      ? refusalAnswer(access, operation, context)
      : carryOut
        ? await rightAnswer(operation, access, request, parts)
        : { status: 200, headers: {}, body: Buffer.alloc(0) };
  if (right.status === 429) stats.rateLimited++;
  const reply: Reply = rule ? brokenApiAnswer(rule.answer, right) : { answer: right };
  if (!reply.manner) arrival.status = reply.answer.status;
  const headers = { date: new Date(clock.now()).toUTCString(), ...reply.answer.headers };
  const dated = { ...reply, answer: { ...reply.answer, headers } };
  await sendAnswer(response, dated, { clock, closing });
}

/** Whether the test's hook throws. The caller gets an answer either way. */
async function hookFails(seen: SeenRequest, { beforeRequest }: Faults): Promise<boolean> {
  try {
    await beforeRequest?.(seen);
    return false;
  } catch {
    return true;
  }
}

/** The project of the key, or a refusal. A request with a bad key does not count against the rate. */
function checkAccess(
  request: ApiRequest,
  { context, keys, rate }: ApiServerParts,
): string | Refusal {
  const project = keys.projectOf(request.headers);
  if (project instanceof Refusal) return project;
  const waitMs = rate.admit(context.clock.monotonic());
  if (waitMs > 0) return refusals.rateLimit(Math.ceil(waitMs / 1000));
  const userId = textOf(request.input?.['user_id']);
  const refused = userId === undefined ? undefined : context.faults.refusedUsers[userId];
  if (refused === 1003) return refusals.insufficientCredentials();
  if (refused === 300002) return refusals.noPermission('the API key may not act for this user');
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

async function rightAnswer(
  operation: OperationName,
  project: string,
  request: ApiRequest,
  { handlers, context }: ApiServerParts,
): Promise<Answer> {
  try {
    const trace = request.headers['x-pd-external-trace-id'];
    if (typeof trace === 'string' && characterCount(trace) > LIMITS.traceIdLength) {
      throw refusals.invalidParameter(
        `x-pd-external-trace-id must have at most ${LIMITS.traceIdLength} characters`,
      );
    }
    const { input, pathId = '' } = request;
    if (!input) throw refusals.invalidParameter('the body must be a JSON object');
    const userId = context.faults.resolveUser(askedUser(input));
    const data = await handlers[operation]({ project, userId, pathId, input }, context);
    return answerOf(200, successText(data, nestsCode(operation, context)), operation, context);
  } catch (error) {
    return refusalAnswer(
      error instanceof Refusal ? error : refusals.internal(),
      operation,
      context,
    );
  }
}

function refusalAnswer(refusal: Refusal, operation: OperationName, context: ApiContext): Answer {
  const { status, serviceCode, message, headers } = refusal;
  // Refusals by key or rate, and crashes, have the ordinary envelope.
  const nested = nestsCode(operation, context) && serviceCode >= 300000;
  const answer = answerOf(status, failureText(serviceCode, message, nested), operation, context);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function answerOf(
  status: number,
  text: string,
  operation: OperationName,
  context: ApiContext,
): Answer {
  // the service sends a trace id with status 200 only, and never with the overview
  const traced = status === 200 && operation !== 'getDatasetOverview';
  return {
    status,
    headers: {
      'content-type': JSON_TYPE,
      ...(traced ? { 'x-pd-trace-id': uuid4(context.random) } : {}),
    },
    body: Buffer.from(text),
  };
}

function nestsCode(operation: OperationName, { faults }: ApiContext): boolean {
  return operation === 'getDatasetOverview' && faults.overviewCode === 'nested';
}

function arrivalOf(operation: OperationName, request: ApiRequest, { clock }: ApiContext): Arrival {
  return {
    operation,
    atMs: clock.monotonic(),
    userId: textOf(request.input?.['user_id']),
    pathId: request.pathId,
    status: 0,
  };
}

function objectIn(body: string): JsonObject | undefined {
  try {
    return asObject(parseJson(body));
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** @param data JSON text */
function successText(data: string, nested: boolean): string {
  return `{"code":${nested ? '{"code":0}' : '0'},"data":${data}}`;
}

function failureText(code: number, message: string, nested: boolean): string {
  return JSON.stringify({ code: nested ? { code } : code, message, data: null });
}
