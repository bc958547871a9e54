/**
 * Ports of this machine that nobody listens on. Systems give higher ones to whoever asks for any,
 * so that none of these goes to another test before it is used, or while its server is down.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const LOWEST = 10_240;
/** Linux gives ports from 32,768 on, other systems from 49,152 on. */
const HIGHEST = 32_767;

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

/** @returns so many, each another */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
