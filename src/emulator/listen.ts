/** Opens and closes a listener, with a sentence a person can act on when the port cannot be had. */
import type { Server } from 'node:http';
import { codeOf, messageOf } from '../base/error.js';
import { UsageError } from '../base/usage-error.js';

/** Resolves with the origin, `http://host:port`. */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, port, host)));
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

function listenError(cause: Error, port: number, host: string): UsageError {
  const code = codeOf(cause);
  const why =
    code === 'EADDRINUSE'
      ? 'another program has the port'
      : code === 'EACCES'
        ? 'ports below 1024 need more rights'
        : messageOf(cause);
  return new UsageError(`emulator: cannot listen on ${host} port ${port}: ${why}`, { cause });
}
