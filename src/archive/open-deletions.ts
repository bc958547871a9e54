/**
 * Which sessions runs are about to delete from the service, as their intents say (I-38 in FORMAT.md). What a deletion left
 * open is neither gone nor vanished until a run that deletes settles it.
 */
import { parseJson } from '../base/text/parse-json.js';
import { asRunId, type RunId } from '../model/ids.js';
import { keyOfAnySpelling } from '../model/user-spelling.js';
import { ObjectNotFoundError } from '../storage/storage-errors.js';
import type { Storage } from '../storage/storage.js';
import type { Archive } from './archive.js';
import { runsAtWork } from './runs/lease.js';
import { INTENTS_PREFIX, isIntentPath, runLeasePath, runOfLease } from './paths.js';

export interface WrittenIntent {
  readonly path: string;
  readonly run: RunId | undefined;
  /** As it stands there; undefined where the intent does not read as one: it may be about anybody. */
  readonly subject: { readonly user: unknown; readonly session: unknown } | undefined;
}

/** @param known intents that were read before, by path: none ever changes */
export async function* writtenIntents(
  storage: Storage,
  known: ReadonlyMap<string, WrittenIntent> = new Map(),
): AsyncGenerator<WrittenIntent> {
  for await (const { path } of storage.list(INTENTS_PREFIX)) {
    if (!isIntentPath(path)) continue;
    const intent = known.get(path) ?? (await readIntent(storage, path));
    if (intent) yield intent;
  }
}

/** Undefined where it has gone meanwhile. */
async function readIntent(storage: Storage, path: string): Promise<WrittenIntent | undefined> {
  try {
    const text = Buffer.from(await storage.get(path)).toString();
    const { run, user, session } = Object(parseJson(text)) as Record<string, unknown>;
    const by = typeof run === 'string' ? runOfLease(runLeasePath(asRunId(run))) : undefined;
    return { path, run: by, subject: { user, session } };
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return undefined;
    if (!(error instanceof SyntaxError)) throw error;
    return { path, run: undefined, subject: undefined };
  }
}

export class OpenDeletions {
  readonly #known = new Map<string, WrittenIntent>();

  constructor(readonly storage: Storage) {}

  /** Those that there are now, by `keyOfAnySpelling`, each with its runs. One that does not read as a deletion is left out. */
  async now(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const open = new Map<string, Set<string>>();
    for await (const intent of writtenIntents(this.storage, this.#known)) {
      this.#known.set(intent.path, intent);
      const { run, subject } = intent;
      if (run === undefined || !subject) continue;
      const key = keyOfAnySpelling(String(subject.user), String(subject.session));
      const runs = open.get(key);
      if (runs) runs.add(run);
      else open.set(key, new Set([run]));
    }
    return open;
  }
}

/** Those that no run is at work on: only a run that deletes finds out whether they took place. By `keyOfAnySpelling`, each with its runs. */
export async function deletionsLeftOpen({
  storage,
  processes,
}: Archive): Promise<ReadonlyMap<string, readonly string[]>> {
  const open = await new OpenDeletions(storage).now();
  if (open.size === 0) return new Map();
  const atWork = new Set<string>((await runsAtWork({ storage, processes })).map(({ run }) => run));
  const left = [...open].map(
    ([key, runs]) => [key, [...runs].filter((run) => !atWork.has(run))] as const,
  );
  return new Map(left.filter(([, runs]) => runs.length > 0));
}
