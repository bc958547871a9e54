/** Copies an object to another path of the same storage, in streams, and knows what was copied. */
import type { ContentDigest, Storage } from '../storage/storage.js';

/** @throws {ObjectNotFoundError} there is nothing at `from` */
export async function copyObject(
  storage: Storage,
  from: string,
  to: string,
): Promise<ContentDigest> {
  const staged = await storage.stage();
  try {
    for await (const chunk of storage.read(from)) await staged.write(chunk);
    const digest = await staged.close();
    await staged.publish(to);
    return digest;
  } finally {
    await staged.discard();
  }
}
