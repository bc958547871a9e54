/** The API keys: which project each belongs to, and which have expired. */
import { type Refusal, refusals } from './api-call.js';

export class KeyRing {
  readonly #projects: Map<string, string>;
  readonly #expired: Set<string>;
  readonly #headerName: string;

  /** @param headerName where callers put their key */
  constructor(
    headerName: string,
    apiKeys: Readonly<Record<string, string>>,
    expiredApiKeys: readonly string[],
  ) {
    this.#headerName = headerName;

    this.#projects = new Map(Object.entries(apiKeys));
    this.#expired = new Set(expiredApiKeys);
  }

  projectOf(
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ): string | Refusal {
    const key = headers[this.#headerName.toLowerCase()];
    if (typeof key !== 'string') return refusals.badCredentials();
    if (this.#expired.has(key)) return refusals.credentialsExpired();
    return this.#projects.get(key) ?? refusals.badCredentials();
  }

  setProject(key: string, project: string): void {
    this.#projects.set(key, project);
    this.#expired.delete(key);
  }

  expire(key: string): void {
    this.#expired.add(key);
  }
}
