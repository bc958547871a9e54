/**
 * The content of an archive at one moment, read from its bytes without jobvault's own readers: the log is
 * replayed here, rows are read as JSON.
 */
import { createHash } from 'node:crypto';
import type { SimPlace } from './sim-place.js';
import { unpacked } from './sync-zlib.js';

export type SimRow = Readonly<Record<string, unknown>>;

export interface NamedObject {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

interface NamedFile extends NamedObject {
  readonly table: string;
  readonly rows: number;
}

/** The parts of a commit that the invariants need. */
export interface SimCommit {
  readonly number: number;
  readonly kind: string;
  readonly run: string;
  readonly digest: string;
  readonly previous: string | null;
  readonly abandoned: readonly string[];
  readonly files: readonly NamedFile[];
  readonly removed: readonly string[];
  readonly jobs: NamedObject | null;
  readonly signature: string | null;
  readonly snapshot?: { readonly path: string };
  readonly drill?: { readonly commit: number };
  readonly erasure?: object;
}

const COMMIT = /^_commits\/(\d+)\.json$/;
/** Objects are immutable: what was read from one stays valid while its bytes are there. */
const digests = new WeakMap<Uint8Array, string>();
const parsed = new WeakMap<Uint8Array, readonly SimRow[]>();
const commitsRead = new WeakMap<Uint8Array, SimCommit>();

export class ArchiveView {
  readonly objects: ReadonlyMap<string, Uint8Array>;
  /** By number, ascending. */
  readonly commits: readonly SimCommit[];
  readonly files = new Map<string, NamedFile>();
  /** Those that rows name. */
  readonly artifacts: ReadonlyMap<string, NamedObject>;
  /** Paths that a commit has removed from the archive. */
  readonly removed = new Set<string>();

  constructor(place: SimPlace) {
    this.objects = new Map(place.objects());
    this.commits = [...this.objects]
      .filter(([path]) => COMMIT.test(path))
      .map(([, bytes]) => commitOf(bytes))
      .sort((a, b) => a.number - b.number);
    for (const { files, removed } of this.commits) {
      for (const file of files) this.files.set(file.path, file);
      for (const path of removed) {
        this.removed.add(path);
        this.files.delete(path);
      }
    }
    this.artifacts = new Map(this.artifactsIn(this.files.values()));
  }

  /** The artifacts that rows of these part files name, by path. */
  *artifactsIn(files: Iterable<NamedFile>): Generator<[string, NamedObject]> {
    for (const { table, path: of } of files) {
      const bytes = table === 'artifacts' ? this.objects.get(of) : undefined;
      for (const row of bytes ? rowsOf(bytes) : []) {
        const { path } = row;
        if (typeof path !== 'string') continue;
        yield [path, { path, bytes: Number(row['bytes']), sha256: String(row['sha256']) }];
      }
    }
  }

  get newest(): number {
    return this.commits.at(-1)?.number ?? 0;
  }

  /** The rows of all part files of a table that the archive names and that exist. */
  rows(table: string): SimRow[] {
    return [...this.files.values()].flatMap((file) => {
      const bytes = file.table === table ? this.objects.get(file.path) : undefined;
      return bytes ? rowsOf(bytes) : [];
    });
  }

  /** Undefined if the object is missing or differs from its entry. */
  faultOf({ path, bytes, sha256 }: NamedObject): string | undefined {
    const there = this.objects.get(path);
    if (!there) return `${path} is not there`;
    if (there.byteLength !== bytes) return `${path} has another length`;
    return digestOf(there) === sha256 ? undefined : `${path} has other bytes`;
  }

  /** Paths of the objects that contain one of the texts, compressed or not. */
  mentioning(texts: readonly string[]): string[] {
    const found: string[] = [];
    for (const [path, bytes] of this.objects) {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      if (texts.some((text) => buffer.includes(text))) found.push(path);
    }
    return found;
  }
}

export function commitNumberIn(path: string): number | undefined {
  const digits = COMMIT.exec(path)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function digestOf(bytes: Uint8Array): string {
  let digest = digests.get(bytes);
  if (digest === undefined) {
    digest = createHash('sha256').update(bytes).digest('hex');
    digests.set(bytes, digest);
  }
  return digest;
}

function commitOf(bytes: Uint8Array): SimCommit {
  let commit = commitsRead.get(bytes);
  if (!commit) {
    commit = JSON.parse(Buffer.from(bytes).toString()) as SimCommit;
    commitsRead.set(bytes, commit);
  }
  return commit;
}

function rowsOf(bytes: Uint8Array): readonly SimRow[] {
  let rows = parsed.get(bytes);
  if (!rows) {
    const lines = unpacked(bytes).toString().split('\n').slice(0, -1);
    rows = lines.map((line) => JSON.parse(line) as SimRow);
    parsed.set(bytes, rows);
  }
  return rows;
}
