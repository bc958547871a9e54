/** The file host of a served archive: presigned URLs, and the artifacts behind them, each compared with its SHA-256 while it is sent. */
import { KEEP_ALIVE_MS } from '../emulator/api/api-server.js';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Archive } from '../archive/archive.js';
import { artifactAt } from '../archive/objects/artifact-rows.js';
import { readChecked } from '../archive/objects/checked-objects.js';
import type { Clock } from '../base/runtime.js';
import {
  ACCESS_DENIED,
  NO_SUCH_KEY,
  requestHasExpired,
  WRONG_SIGNATURE,
  keysOf,
  type UrlSigner,
} from '../emulator/files/url-signer.js';
import { archivedPathOf } from './archive-routes.js';

interface ArchivedFilesOptions {
  readonly archive: Archive;
  readonly signer: UrlSigner;
  readonly clock: Clock;
  /** Called when a file is missing or damaged: its answer is cut. */
  readonly onDamage: (error: unknown) => void;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  json: 'application/json',
  pdf: 'application/pdf',
};

/** The server does not listen yet. */
export function buildArchivedFiles(options: ArchivedFilesOptions): Server {
  const server = createServer((request, response) => {
    answer(request, response, options).catch((error: unknown) => {
      options.onDamage(error);
      response.destroy();
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { archive, signer, clock }: ArchivedFilesOptions,
): Promise<void> {
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  const verdict = signer.verify(path, query);
  const key = keysOf(path, query).at(-1);
  const found =
    verdict === 'valid'
      ? await artifactAt(archive.storage, archivedPathOf(key ?? '') ?? '')
      : undefined;
  const refusal: readonly [number, string] | undefined =
    request.method !== 'GET'
      ? [405, ACCESS_DENIED]
      : key === undefined || verdict === 'unsigned'
        ? [403, ACCESS_DENIED]
        : verdict === 'wrong'
          ? [403, WRONG_SIGNATURE]
          : verdict === 'expired'
            ? [403, requestHasExpired(clock.now())]
            : found
              ? undefined
              : [404, NO_SUCH_KEY];
  if (refusal || !found) {
    const [status, body] = refusal ?? [404, NO_SUCH_KEY];
    response.writeHead(status, { 'content-type': 'application/xml' });
    response.end(body);
    return;
  }
  const extension = found.path.slice(found.path.lastIndexOf('.') + 1);
  response.writeHead(200, {
    'content-type': MEDIA_TYPES[extension] ?? 'application/octet-stream',
    'content-length': String(found.bytes),
    etag: `"${found.sha256}"`,
  });
  // the last chunk is sent when all of it was compared: a client does not take altered bytes for the file
  let held: Uint8Array | undefined;
  for await (const chunk of readChecked(archive.storage, found)) {
    if (held && !response.write(held)) await drained(response);
    if (response.destroyed) return;
    held = chunk;
  }
  response.end(held);
}

async function drained(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}
