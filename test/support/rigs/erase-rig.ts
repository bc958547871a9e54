/** Three people with files of their own and one that two of them share, archived in every format. */
import { contextOf, type Archive, type ContextOptions } from '../../../src/archive/archive.js';
import { Holds } from '../../../src/archive/holds/holds.js';
import type { ArchiveFormat } from '../../../src/formats/formats.js';
import { sha256Hex } from '../../../src/base/digest.js';
import type { EraseOptions, EraseSummary } from '../../../src/rewrite/erasure/erase-options.js';
import { erase } from '../../../src/rewrite/erasure/erase.js';
import { ExportRig, impatient } from './export-rig.js';

/** Defaults: erases Ann. */
export function erased(
  archive: Archive,
  options: Partial<EraseOptions> & ContextOptions = {},
): Promise<EraseSummary> {
  return erase({
    archive: { ...archive, ...contextOf({ random: impatient, ...options }) },
    signal: new AbortController().signal,
    users: ['ann'],
    sessions: [],
    reason: null,
    by: null,
    kept: null,
    holds: Holds.none,
    allowUnknownHolds: false,
    noWait: false,
    dryRun: false,
    ...options,
  });
}

export class EraseRig implements AsyncDisposable {
  private constructor(readonly rig: ExportRig) {}

  static async start(): Promise<EraseRig> {
    const rig = await ExportRig.start();
    for (const user of ['ann', 'ben', 'cyd']) {
      rig.state.putFile(`${user}.csv`, `name,value\n${user}-only-file,1\n`);
    }
    rig.state.putFile('shared.csv', 'name,value\nfor-two,2\n');
    return new EraseRig(rig);
  }

  /** One job that is settled, with what only this person has said. */
  talk(user: string, session: string, files: readonly string[] = []): string {
    const { state } = this.rig;
    const id = state.newJobId(this.rig.twoDaysAgo());
    const blocks = [
      ...files.map((key) => ({
        type: 'TABLE',
        content: { name: key, url: `{{url:${key}}}`, expires_at: '{{expires_at}}' },
        group_id: '',
        group_name: '',
        stage: 'Analyze',
      })),
      { type: 'MESSAGE', content: `${user}-was-told`, group_id: '-1', stage: 'Respond' },
    ];
    const question = { blocks: [{ type: 'MESSAGE', content: `${user}-has-asked` }] };
    const job = JSON.stringify({ job_id: id, question, answer: { blocks } });
    if (!state.userIds().includes(user) || !state.sessionIds(user).includes(session)) {
      state.addSession(user, { id: session, name: `${user}-called-it` }, [job]);
    } else state.addJob(user, session, job);
    return id;
  }

  /** @returns what must not be found of each person once they are erased */
  async archived(formats: readonly ArchiveFormat[]): Promise<Record<string, string[]>> {
    const jobs: Record<string, string[]> = { ann: [], ben: [], cyd: [] };
    for (const user of ['ann', 'ben', 'cyd']) {
      const files = user === 'cyd' ? ['cyd.csv'] : [`${user}.csv`, 'shared.csv'];
      jobs[user]?.push(this.talk(user, `${user}-first`, files), this.talk(user, `${user}-second`));
    }
    const talkAgain = () => {
      for (const user of ['ann', 'cyd']) jobs[user]?.push(this.talk(user, `${user}-second`));
    };
    const isMade = await this.rig.archivedAs(['three people', formats], async () => {
      await this.rig.export({ formats });
      talkAgain();
      await this.rig.export({ users: ['ann'], sessions: ['ann-second'] });
      return this.rig.export({ checkpointBytes: 1 });
    });
    if (!isMade) talkAgain();
    return Object.fromEntries(
      Object.entries(jobs).map(([user, ids]) => [user, [...ids, ...this.#tracesOf(user)]]),
    );
  }

  #tracesOf(user: string): string[] {
    const texts = ['first', 'second', 'has-asked', 'was-told', 'called-it', 'only-file'];
    const file = sha256Hex(`name,value\n${user}-only-file,1\n`);
    return [`"${user}"`, sha256Hex(user), file, ...texts.map((text) => `${user}-${text}`)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig[Symbol.asyncDispose]();
  }
}
