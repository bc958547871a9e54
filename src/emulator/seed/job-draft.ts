/** A job while it is being made: files get their keys, blocks their groups. */
import type { RandomStream } from './seed-plan.js';
import { type SeededJobPlace } from './seed-plan.js';
import { type FileContent, uuid4 } from './seeded-ids.js';
import type { SeededBlock, MadeFile } from './seeded-block.js';
import { fileKey } from './seeded-files.js';

/** The content of a TABLE, IMAGE or CHART_INFO block. */
export interface FileContentObject {
  readonly name: string;
  readonly url: string;
  readonly expires_at: string;
}

export class JobDraft {
  readonly question: SeededBlock[] = [];
  /** Blocks of the analysis, in order. */
  readonly steps: SeededBlock[] = [];
  /** Blocks of the final reply, in order. */
  readonly replies: SeededBlock[] = [];
  readonly files: MadeFile[] = [];

  constructor(
    readonly place: SeededJobPlace,
    readonly random: RandomStream,
  ) {}

  /** The steps of the analysis come before the reply. */
  get answer(): readonly SeededBlock[] {
    return [...this.steps, ...this.replies];
  }

  /** Fresh signatures and expiry are filled in at every read. */
  file(name: string, make: (key: string) => FileContent, storedAs = name): FileContentObject {
    const key = fileKey({ ...this.place, file: this.files.length }, storedAs);
    this.files.push({ key, make: () => make(key) });
    return { name, url: `{{url:${key}}}`, expires_at: '{{expires_at}}' };
  }

  /** A function that adds Analyze blocks to one new group. */
  group(name: string): (type: string, content: unknown) => void {
    const group = { group_id: uuid4(this.random), group_name: name, stage: 'Analyze' };
    return (type, content) => this.steps.push({ type, content, ...group });
  }

  /** Adds a block of the final reply. It has no group; the service writes that in several ways, and so does this. */
  respond(type: string, content: unknown): void {
    const group = this.random.pick([
      { group_id: '', group_name: '' },
      { group_id: '', group_name: '' },
      { group_id: '-1', group_name: '' },
      { group_id: -1 },
      {},
    ]);
    this.replies.push({ type, content, ...group, stage: 'Respond' });
  }
}
