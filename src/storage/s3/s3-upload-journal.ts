/**
 * Notes on this machine of unfinished uploads and their processes; S3 knows only their age. With a note, the next
 * run on this machine aborts the uploads of a killed run at once; other machines wait for a day.
 */
import { codeOf } from '../../base/error.js';
import { parseJson } from '../../base/text/parse-json.js';
import type { Processes } from '../../base/process-identity.js';
import type { SpoolDirectory } from './spool-directory.js';
import { stagingOwnerOf } from '../local/staging-directory.js';

/** The note's file; undefined if it could not be written. */
export interface UploadNote {
  readonly file: string | undefined;
}

interface UnfinishedUpload {
  readonly path: string;
  readonly id: string;
}

export interface AbandonedUpload extends UnfinishedUpload {
  /** Removes the note. */
  readonly forget: () => Promise<void>;
}

const SUFFIX = '.upload';

export class UploadJournal {
  readonly #spool: SpoolDirectory;
  readonly #processes: Processes;
  /** The target of the uploads: store, bucket and prefix. */
  readonly #place: string;

  constructor(spool: SpoolDirectory, processes: Processes, place: string) {
    this.#spool = spool;
    this.#processes = processes;
    this.#place = place;
  }

  /** Failure is ignored: without a note, the age of the upload decides. */
  async note(path: string, id: string): Promise<UploadNote> {
    try {
      const { file, handle } = await this.#spool.create(SUFFIX);
      try {
        await handle.writeFile(JSON.stringify({ place: this.#place, path, id }));
      } finally {
        await handle.close();
      }
      return { file: file.slice(this.#spool.directory.length + 1) };
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      return { file: undefined };
    }
  }

  async strike({ file }: UploadNote): Promise<void> {
    if (file !== undefined) await this.#spool.remove(file);
  }

  /** Uploads to our target whose process is known to be dead. */
  async *abandoned(): AsyncGenerator<AbandonedUpload> {
    for await (const { name, text } of this.#spool.notes(SUFFIX)) {
      const owner = stagingOwnerOf(name.slice(0, -SUFFIX.length), this.#processes);
      if (owner.life !== 'dead') continue;
      const upload = uploadOf(text);
      if (upload?.place !== this.#place) continue;
      yield { ...upload, forget: () => this.#spool.remove(name) };
    }
  }
}

function uploadOf(text: string): (UnfinishedUpload & { readonly place: string }) | undefined {
  try {
    const { place, path, id } = parseJson(text) as Record<string, unknown>;
    if (typeof place !== 'string' || typeof path !== 'string' || typeof id !== 'string') {
      return undefined;
    }
    return { place, path, id };
  } catch {
    return undefined; // the process was killed while it wrote the note
  }
}
