/** Whole prunes, of an archive and a service in memory. */
import { addHolds } from '../../../src/archive/holds/change-holds.js';
import type { Archive, ContextOptions } from '../../../src/archive/archive.js';
import { LogFacts } from '../../../src/archive/state/log-facts.js';
import type { ArtifactFetcher, LostFile } from '../../../src/artifacts/artifact-fetcher.js';
import { sha256Hex } from '../../../src/base/digest.js';
import { asUserId } from '../../../src/model/ids.js';
import { Intents } from '../../../src/prune/intents.js';
import { pruneRules } from '../../../src/prune/prune-rules.js';
import { runPrune, type PruneResult, type RunPruneOptions } from '../../../src/prune/run-prune.js';
import { UnreachableError } from '../../../src/service/service-errors.js';
import { FakeClock } from '../base/fake-clock.js';
import { ArchivedService } from '../http/archived-service.js';
import { errorFacts } from '../http/one-session.js';
import { reopened, runOf, seededRandom } from '../store/archive-samples.js';
import { archiveOfThree, processes } from '../store/begun-erasure.js';
import type { MemoryStorage } from '../store/memory-storage.js';

export const unreachable = new UnreachableError('no route', {
  ...errorFacts,
  mayHaveHappened: false,
});

/** Rules that select these sessions alone. */
export const only = (...sessions: string[]) => ({ rules: pruneRules({ sessions }) });

type Over = Partial<RunPruneOptions> & Pick<ContextOptions, 'logger'>;

export class MemoryPrune {
  readonly service = new ArchivedService();
  readonly clock = new FakeClock(Date.UTC(2026, 10, 21));
  readonly stop = new AbortController();
  /** What the URL of a file is answered with: the text of a CSV, or why there is none. */
  fetched: string | ((url: string) => string | LostFile) = '';
  /** The URLs that were fetched, in order. */
  readonly fetchedUrls: string[] = [];
  #seed = 2;

  private constructor(
    readonly archive: Archive,
    readonly storage: MemoryStorage,
  ) {}

  /** The service has what `archiveOfThree` has. */
  static async start(): Promise<MemoryPrune> {
    const { archive, storage } = await archiveOfThree();
    const rig = new MemoryPrune(archive, storage);
    const { service } = rig;
    service.add({ user: 'ann', session: 'a1', job: 'j1', files: ['of ann', 'shared'] });
    service.add({ user: 'ben', session: 'b1', job: 'k1', files: ['shared'] });
    service.add({ user: 'ann', session: 'a2', job: 'j2' });
    service.add({ user: 'cyd', session: 'c1', job: 'l1', files: ['of cyd'] });
    return rig;
  }

  /** As another process sees it. Two that drew the same nonce would take each other's commits for their own. */
  reopened(): Archive {
    return reopened(this.archive, this.storage, this.#seed++);
  }

  prune({ logger, ...over }: Over = {}): Promise<PruneResult> {
    return runPrune({
      runId: runOf('P'),
      service: this.service.client,
      fetcher: this.fetcher,
      rules: pruneRules({ all: true }),
      noWait: true,
      pageSize: 100,
      signal: this.stop.signal,
      ...over,
      archive: {
        ...(over.archive ?? this.reopened()),
        processes,
        clock: this.clock,
        random: seededRandom(9),
        ...(logger && { logger }),
      },
    });
  }

  /** `ann a1: deleted`, or the reason instead. */
  async ends(over: Over = {}): Promise<string[]> {
    const { summary, error } = await this.prune(over);
    if (error !== undefined) throw new Error('the run was broken off', { cause: error });
    return summary.sessions.map(
      ({ user, session, reason, outcome }) => `${user} ${session}: ${reason ?? outcome}`,
    );
  }

  async detailOf(key: string, over: Over = {}): Promise<unknown> {
    const { sessions } = (await this.prune(over)).summary;
    return sessions.find(({ user, session }) => `${user} ${session}` === key)?.detail;
  }

  /** While the final check reads the session for the first time. */
  meanwhile(key: string, work: () => unknown): void {
    let isDone = false;
    this.service.before = async (operation, asked) => {
      if (isDone || operation !== 'getSession' || asked !== key) return;
      isDone = true;
      await work();
    };
  }

  async hold(subject: { readonly users?: string[]; readonly sessions?: string[] }): Promise<void> {
    const archive = { ...this.reopened(), clock: this.clock };
    await addHolds(archive, { ...subject, reason: 'Matter 7', by: 'Dana' });
  }

  /** What a run leaves that is killed before its DELETE. */
  async begin(user: string, id: string): Promise<void> {
    const { archive, clock } = this;
    const { sessions } = await new LogFacts(archive).sessionsOf(asUserId(user));
    const archived = sessions.find(({ session }) => session === id);
    if (!archived) throw new Error(`the archive has no ${id}`);
    const intents = new Intents({ ...archive, clock, random: seededRandom(this.#seed++) });
    await intents.write(runOf('D'), archived);
  }

  pathsIn(prefix: string): string[] {
    return [...this.storage.place.objects.keys()].filter((path) => path.startsWith(prefix));
  }

  readonly fetcher: ArtifactFetcher = {
    fetch: async ({ location: { url } }) => {
      this.fetchedUrls.push(url);
      const answer = typeof this.fetched === 'string' ? this.fetched : this.fetched(url);
      if (typeof answer !== 'string') return answer;
      return {
        status: 'stored',
        staged: await this.storage.stage(),
        sha256: sha256Hex(Buffer.from(answer)),
        bytes: answer.length,
        mediaType: 'text/csv',
        extension: 'csv',
        suspicious: null,
        rowCount: 1,
        columnCount: 1,
        width: null,
        height: null,
        sentName: null,
        encoding: 'utf-8',
        separator: ',',
        headingLine: 1,
        tableText: answer,
      };
    },
    ready: () => Promise.resolve(),
    stats: { requests: 5, retries: 3, bytes: 0 },
    close: () => Promise.resolve(),
  };
}
