/** Replaces methods of the ports between jobvault and a simulated world, and of jobvault itself. */
import { ServiceError } from '../../src/service/service-errors.js';
import type { ServedAt, ServiceClient, RequestBatch } from '../../src/service/service-client.js';
import type { FileSystem } from '../../src/storage/local/file-system.js';

export function isTable(chunk: Uint8Array): boolean {
  return Buffer.from(chunk.buffer, chunk.byteOffset, 10).equals(Buffer.from('name,value'));
}

export function replaced<T extends object, K extends keyof T>(
  object: T,
  name: K,
  by: T[K],
): () => void {
  const before = object[name];
  object[name] = by;
  return () => {
    object[name] = before;
  };
}

/** The same object with some of its methods replaced. */
export function over<T extends object>(object: T, methods: Partial<T>): T {
  return new Proxy(object, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

type Deleting = Pick<ServiceClient, 'getSession' | 'getHistory' | 'deleteSession'>;

/** The client and its connection, with some of the requests around a DELETE replaced. */
export function deleting(
  client: ServiceClient,
  replace: (asked: Deleting) => Partial<Deleting>,
): ServiceClient {
  const together: ServiceClient['together'] = (count) => {
    const requests = client.together(count);
    return over<RequestBatch>(requests, replace(requests));
  };
  return over<ServiceClient>(over<ServiceClient>(client, replace(client)), { together });
}

/** Hides what says that a cache has answered. */
export function believingCaches(client: ServiceClient): ServiceClient {
  const listSessions: ServiceClient['listSessions'] = async (request) =>
    unaged(await client.listSessions(request));
  const ofSession = deleting(client, (asked) => ({
    getHistory: async (request) => unaged(await asked.getHistory(request)),
    async getSession(request) {
      try {
        return unaged(await asked.getSession(request));
      } catch (error) {
        if (error instanceof ServiceError) Object.assign(error, { stale: undefined });
        throw error;
      }
    },
  }));
  return over<ServiceClient>(ofSession, { listSessions });
}

function unaged<T extends { readonly served: ServedAt }>(answer: T): T {
  return { ...answer, served: { ...answer.served, stale: undefined } };
}

/** Repeats the first answer to each request, also in another run. */
export function remembered<R extends object, T>(
  memory: Map<string, Promise<unknown>>,
  ask: (request: R) => Promise<T>,
): (request: R) => Promise<T> {
  return async (request) => {
    const key = JSON.stringify(request, (name, value: unknown) =>
      name === 'signal' ? undefined : value,
    );
    const answer = (memory.get(key) as Promise<T> | undefined) ?? ask(request);
    memory.set(key, answer);
    answer.catch(() => memory.delete(key));
    return answer;
  };
}

export function withoutSync(fileSystem: FileSystem, ...flags: readonly string[]): FileSystem {
  return over(fileSystem, {
    open: (async (path: string, how: string) => {
      const handle = await fileSystem.open(path, how);
      return flags.includes(how) ? over(handle, { sync: () => Promise.resolve() }) : handle;
    }) as FileSystem['open'],
  });
}
