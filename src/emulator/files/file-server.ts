/** The file host: a second HTTP server, so that its origin differs from the API's. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../../base/runtime.js';
import { KEEP_ALIVE_MS } from '../api/api-server.js';
import {
  type Faults,
  type Manner,
  type Occasions,
  sendAnswer,
  sleepUnlessClosing,
  type Answer,
  type Reply,
} from '../faults/faults.js';
import { answerOf } from '../faults/common-fault.js';
import type { FileContent } from '../seed/seeded-ids.js';
import { headerLinesOf, type TrafficStats } from '../stats.js';
import type { FileStore } from '../world/file-store.js';
import {
  ACCESS_DENIED,
  NO_SUCH_KEY,
  requestHasExpired,
  WRONG_SIGNATURE,
  keysOf,
  type UrlSigner,
} from './url-signer.js';
import { HOP, brokenFileAnswer } from './broken-file-answer.js';

export interface FileServerParts {
  readonly files: FileStore;
  readonly signer: UrlSigner;
  readonly faults: Faults;
  readonly occasions: Occasions;
  readonly stats: TrafficStats;
  readonly clock: Clock;
  readonly closing: AbortSignal;
}

/** A throttled body is sent in steps of this length. */
const STEP_MS = 50;

/** The server does not listen yet. */
export function buildFileServer(parts: FileServerParts): Server {
  const server = createServer((request, response) => {
    parts.stats.fileArrives(headerLinesOf(request.rawHeaders));
    answerRequest(request, response, parts).catch(() => response.destroy());
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  parts: FileServerParts,
): Promise<void> {
  const { faults, clock } = parts;
  // the URL must be valid when the request arrives, not when a slow answer is sent
  const reply = decide(request, parts);
  await sleepUnlessClosing(faults.fileLatencyMs, parts);
  const date = new Date(clock.now()).toUTCString();
  const headers = { date, server: 'emulator', ...reply.answer.headers };
  await sendAnswer(response, { ...reply, answer: { ...reply.answer, headers } }, parts);
}

function decide(request: IncomingMessage, parts: FileServerParts): Reply {
  const { signer, faults, occasions, clock } = parts;
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  if (request.method !== 'GET') return { answer: xml(405, ACCESS_DENIED) };
  const keys = keysOf(path, query);
  const key = keys.find((candidate) => parts.files.get(candidate) !== undefined) ?? keys.at(-1);
  const verdict = signer.verify(path, query.split(HOP, 1)[0] ?? '');
  if (key === undefined || verdict === 'unsigned') return { answer: xml(403, ACCESS_DENIED) };
  if (verdict === 'wrong') return { answer: xml(403, WRONG_SIGNATURE) };
  if (verdict === 'expired') return { answer: xml(403, requestHasExpired(clock.now())) };
  const file = parts.files.get(key);
  const right = file ? fileAnswer(file) : xml(404, NO_SUCH_KEY);
  const rule = occasions.strike(faults.files, (fault) => key.includes(fault.key ?? ''));
  if (rule) return brokenFileAnswer(rule.answer, right, request.url ?? '');
  const { fileBytesPerSecond: speed } = faults;
  return speed === 0 ? { answer: right } : { answer: right, manner: throttle(speed) };
}

function throttle(bytesPerSecond: number): Manner {
  const bytes = Math.max(1, Math.floor((bytesPerSecond * STEP_MS) / 1000));
  return { kind: 'drip', bytes, pauseMs: STEP_MS };
}

function fileAnswer({ bytes, mediaType }: FileContent): Answer {
  const etag = `"${createHash('md5').update(bytes).digest('hex')}"`;
  return { status: 200, headers: { 'content-type': mediaType, etag }, body: bytes };
}

function xml(status: number, body: string): Answer {
  return answerOf(status, 'application/xml', body);
}
