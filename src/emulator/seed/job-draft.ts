/** A job while it is being made: files get their keys, blocks their groups. */
import { type FileContent, uuid4, cuid, type SeededJobPlace, RandomStream } from './seed-plan.js';
import type { Topic } from './tables.js';

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
  file(name: string, make: () => FileContent, storedAs = name): FileContentObject {
    const key = fileKey({ ...this.place, file: this.files.length }, storedAs);
    this.files.push({ key, make });
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

/** A seeded job before it is written out: blocks, and the files that they refer to. */

/** A block as it is sent, `type` first. Contents may hold `{{url:KEY}}` and `{{expires_at}}`. */
export interface SeededBlock {
  readonly type: string;
  readonly content?: unknown;
  readonly [field: string]: unknown;
}

export interface MadeJob {
  readonly question: readonly SeededBlock[];
  readonly answer: readonly SeededBlock[];
  readonly files: readonly MadeFile[];
}

export interface MadeFile {
  readonly key: string;
  /** Called only when the file is downloaded. */
  readonly make: () => FileContent;
}

/** Keys of seeded files. They look opaque but encode the job and the number of the file, so that no table of keys is needed. */

export interface SeededFilePlace extends SeededJobPlace {
  /** Counted from 0 within the job. */
  readonly file: number;
}

const KEY = /^jobs\/([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{8})([0-9a-f]{4})\//;

/** `jobs/<24 hexadecimal digits>/<name>` */
function fileKey({ user, session, job, file }: SeededFilePlace, name: string): string {
  const digits = hex(user, 8) + hex(session, 4) + hex(job, 8) + hex(file, 4);
  return `jobs/${digits}/${name}`;
}

export function filePlaceOf(key: string): SeededFilePlace | undefined {
  const match = KEY.exec(key);
  if (!match) return undefined;
  const [user, session, job, file] = match.slice(1).map((digits) => parseInt(digits, 16));
  return user === undefined || session === undefined || job === undefined || file === undefined
    ? undefined
    : { user, session, job, file };
}

function hex(value: number, width: number): string {
  return value.toString(16).padStart(width, '0');
}

/** Entries of SOURCES blocks, with and without the fields that the interface does not document. */

const CREATED_MS = Date.UTC(2025, 11, 20);

export interface SourceEntry {
  readonly source: string;
  readonly datasource_id: string;
  readonly dataset_id: string;
  readonly file_type: string;
  readonly external_id: string;
  readonly [field: string]: unknown;
}

export function sourcesOf(topic: Topic, datasetId: string, random: RandomStream): SourceEntry[] {
  return topic.sources.map((source, index) => ({
    source,
    // the same whenever it is cited
    datasource_id: cuid(RandomStream.of('datasource', source), CREATED_MS),
    dataset_id: datasetId,
    file_type: source.startsWith('http') ? 'html' : source.slice(source.lastIndexOf('.') + 1),
    external_id: index === 0 ? '' : `erp-${random.integer(1000, 9999)}`,
    // undocumented fields that the service sends
    ...(random.chance(0.4)
      ? { id: String(index + 1), content: `… ${topic.measure} …`, page_no: random.integer(1, 40) }
      : {}),
  }));
}
