/** Opens and closes the ports of the HTTP servers. */
import { UsageError, codeOf, messageOf } from '../base/error.js';
import type { Server } from 'node:http';

interface Place {
  readonly port: number;
  readonly host: string;
  /** The flag that sets the port. */
  readonly flag: string;
}

/**
 * Resolves with the origin, `http://host:port`.
 *
 * @throws {UsageError} the port cannot be had
 */
export async function listen(server: Server, place: Place): Promise<string> {
  const { port, host } = place;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, place)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`;
}

/** Resolves when the port is free; connections still open are cut. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function listenError(cause: Error, { port, host, flag }: Place): UsageError {
  const code = codeOf(cause);
  const why =
    code === 'EADDRINUSE'
      ? `the port is in use; give another one with ${flag}, 0 takes a free one`
      : code === 'EACCES'
        ? 'ports below 1024 need more privileges'
        : messageOf(cause);
  return new UsageError(`cannot listen on ${host} port ${port}: ${why}`, { cause });
}
