/**
 * Images of a run that have the same bytes. Some hosts answer an expired link with a valid picture that is not the file. So
 * an image is doubtful where another session has its bytes under another path, unless the job was archived before with the
 * same files, or somebody accepts the content.
 */
import type { JobState } from '../../archive/state/user-state.js';
import { fileReferences, placeKey } from '../../flatten/file-references.js';
import { filesDigest, type FileFacts } from '../../flatten/file-facts.js';
import { downloadKey } from '../../model/urls/file-url.js';
import { sessionKey, type JobId, type SessionId, type UserId } from '../../model/ids.js';
import type { JobRecord, Verbatim } from '../../model/records.js';
import { sha256Hex } from '../../base/digest.js';

export interface JobOfRun {
  readonly userId: UserId;
  readonly sessionId: SessionId;
  readonly jobId: JobId;
}

/** By `placeKey`. */
type Files = ReadonlyMap<string, FileFacts>;

/** An image that is doubtful, and whose job was prepared before that was known. */
export interface UnmarkedImage extends JobOfRun {
  /** The version of the job that has it. Default: the newest. */
  readonly version?: number;
  readonly sha256: string;
}

export interface MarkedFiles {
  readonly files: Files;
  /** SHA-256 of the images that are doubtful for their bytes, one for each file. */
  readonly sameImages: readonly string[];
}

/** Where the bytes of one image came from. Most came from one place: of that no more is kept than it needs. */
class Origins {
  readonly #path: string;
  readonly #job: JobOfRun;
  #all: AllOrigins | undefined;

  constructor(path: string, job: JobOfRun) {
    this.#path = path;
    this.#job = job;
  }

  add(path: string, job: JobOfRun): void {
    if (!this.#all && path === this.#path && isSameJob(job, this.#job)) return;
    this.#all ??= new AllOrigins().add(this.#path, this.#job);
    this.#all.add(path, job);
  }

  get isDoubtful(): boolean {
    return this.#all?.isDoubtful === true;
  }

  /** Jobs that were prepared before the content was doubtful: nothing marks their files. */
  get unmarked(): readonly JobOfRun[] {
    return [...(this.#all?.unmarked.values() ?? [])].flat();
  }
}

function isSameJob(job: JobOfRun, other: JobOfRun): boolean {
  const { userId, sessionId, jobId } = other;
  return job.userId === userId && job.sessionId === sessionId && job.jobId === jobId;
}

class AllOrigins {
  readonly #paths = new Set<string>();
  readonly #sessions = new Set<string>();
  /** By session; see `Origins`. */
  readonly unmarked = new Map<string, JobOfRun[]>();

  add(path: string, job: JobOfRun): this {
    const session = sessionKey(job.userId, job.sessionId);
    this.#paths.add(path);
    this.#sessions.add(session);
    if (this.isDoubtful) return this;
    const jobs = this.unmarked.get(session) ?? [];
    this.unmarked.set(session, [...jobs.filter(({ jobId }) => jobId !== job.jobId), job]);
    return this;
  }

  get isDoubtful(): boolean {
    return this.#paths.size > 1 && this.#sessions.size > 1;
  }
}

/** As much of a digest as tells paths apart. */
const PATH_DIGITS = 12;

export class SameImages {
  readonly #origins = new Map<string, Origins>();
  /** Whether somebody has said that an image, by its SHA-256, is what it should be. */
  readonly isAccepted: (sha256: string) => boolean;

  constructor(isAccepted: (sha256: string) => boolean) {
    this.isAccepted = isAccepted;
  }

  /** The files of a job that is about to be written; those that are doubtful say so. */
  marked(
    job: JobOfRun,
    record: Verbatim<JobRecord>,
    { files, known }: { readonly files: Files; readonly known: JobState | undefined },
  ): MarkedFiles {
    const references = fileReferences(record);
    const archived = known?.files ?? null;
    const isAsArchived = archived !== null && filesDigest(references, files) === archived;
    const marked = new Map(files);
    const sameImages: string[] = [];
    for (const reference of references) {
      const place = placeKey(reference);
      const facts = files.get(place);
      if (!facts?.stored?.mediaType.startsWith('image/') || !isDownloaded(reference.url)) continue;
      const { stored } = facts;
      const { sha256, suspicious } = stored;
      if (suspicious !== null || this.isAccepted(sha256)) continue;
      const doubt = isAsArchived
        ? keptDoubt(sha256, known)
        : this.#doubtOf(sha256, downloadKey(reference.url), job);
      if (doubt === null) continue;
      sameImages.push(sha256);
      marked.set(place, { ...facts, stored: { ...stored, suspicious: doubt } });
    }
    return { files: marked, sameImages };
  }

  /** Whether images of the job are to be fetched again, or are doubtful no more. */
  isDue(job: JobState, nowMs: number): boolean {
    if (job.same_images === undefined) return false;
    return this.isSettled(job) || nowMs - Date.parse(job.seen_at) < TRIED_AGAIN_MS;
  }

  /** Whether the log has a doubt of the job that somebody has settled since. */
  isSettled({ same_images: images = [] }: JobState): boolean {
    return images.some((sha256) => this.isAccepted(sha256));
  }

  *unmarked(): Generator<UnmarkedImage> {
    for (const [sha256, origins] of this.#origins) {
      if (!origins.isDoubtful) continue;
      for (const job of origins.unmarked) yield { ...job, sha256 };
    }
  }

  #doubtOf(sha256: string, key: string, job: JobOfRun): string | null {
    const path = sha256Hex(key).slice(0, PATH_DIGITS);
    const origins = this.#origins.get(sha256) ?? new Origins(path, job);
    this.#origins.set(sha256, origins);
    origins.add(path, job);
    return origins.isDoubtful ? SAME_AS_OTHERS : null;
  }
}

/** A night later a link may lead to the right picture; what is the same two nights later will stay so. */
export const TRIED_AGAIN_MS = 60 * 3_600_000;

/** Unlike a picture that the record itself contains. */
export function isDownloaded(url: string | null): url is string {
  return url !== null && !/^\s*data:/i.test(url);
}

function keptDoubt(sha256: string, known: JobState | undefined): string | null {
  return known?.same_images?.includes(sha256) ? SAME_AS_OTHERS : null;
}

/** How many others there are is not said: the first of them are written before the last are known. */
export const SAME_AS_OTHERS = 'same bytes as other images';
