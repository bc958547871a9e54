/**
 * What a run is about to delete, written down before the DELETE: so that a run that is killed in
 * between leaves a trace for the next one. An intent goes when a commit holds its outcome (I-38 in FORMAT.md).
 */
import { z } from 'zod';
import type { Archive } from '../archive/archive.js';
import { IntegrityError } from '../archive/archive-errors.js';
import { intentPath, INTENTS_PREFIX, isIntentPath } from '../archive/paths.js';
import type { ArchivedSession } from '../archive/state/archived-session.js';
import { ulid } from '../base/ulid.js';
import { parseJson } from '../base/text/parse-json.js';
import { asSessionId, asUserId, type RunId } from '../model/ids.js';
import { ObjectNotFoundError } from '../storage/storage-errors.js';

const intentSchema = z.strictObject({
  format: z.literal(1),
  run: z.string(),
  user: z.string().transform(asUserId),
  session: z.string().transform(asSessionId),
  /** Where the session is archived. */
  commit: z.int().positive(),
  job_count: z.int().nonnegative(),
  started_at: z.iso.datetime(),
});

export interface Intent extends z.infer<typeof intentSchema> {
  readonly path: string;
}

export class Intents {
  constructor(readonly archive: Archive) {}

  /** Durable when it resolves: the DELETE may follow. */
  async write(runId: RunId, archived: ArchivedSession): Promise<Intent> {
    const { storage, clock, random } = this.archive;
    const { user, session, state, changed } = archived;
    const intent = {
      format: 1 as const,
      run: runId,
      user,
      session,
      commit: changed.commit,
      job_count: state.jobs.size,
      started_at: new Date(clock.now()).toISOString(),
    };
    const path = intentPath(ulid(clock, random));
    await storage.put(path, Buffer.from(`${JSON.stringify(intent)}\n`));
    return { ...intent, path };
  }

  /** Ordered by age. @throws {IntegrityError} one does not read as an intent */
  async list(): Promise<readonly Intent[]> {
    const intents: Intent[] = [];
    for await (const { path } of this.archive.storage.list(INTENTS_PREFIX)) {
      if (!isIntentPath(path)) continue; // a file manager's, say: verify tells of it
      const intent = await this.#read(path);
      if (intent) intents.push(intent);
    }
    return intents;
  }

  async remove({ path }: Intent): Promise<void> {
    await this.archive.storage.delete(path);
  }

  /** Undefined where another run has just settled it. */
  async #read(path: string): Promise<Intent | undefined> {
    try {
      const bytes = await this.archive.storage.get(path);
      return { ...intentSchema.parse(parseJson(Buffer.from(bytes).toString())), path };
    } catch (cause) {
      if (cause instanceof ObjectNotFoundError) return undefined;
      if (!(cause instanceof SyntaxError || cause instanceof z.ZodError)) throw cause;
      const detail = 'is damaged: it does not tell which session was to be deleted';
      throw new IntegrityError(path, 'unreadable', detail, { cause });
    }
  }
}
