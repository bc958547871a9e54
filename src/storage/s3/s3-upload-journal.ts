/**
 * Notes on this machine of which uploads are unfinished: S3 tells their age, but not whose they are. So the
 * next run of this machine aborts those of a killed one at once; other machines wait for a day.
 */
import { codeOf } from '../../base/error.js';
import { parseJson } from '../../base/parse-json.js';
import type { Processes } from '../../base/process-identity.js';
import type { SpoolDirectory } from './spool-directory.js';
import { stagingOwnerOf } from '../local/staging-names.js';

/** A file; undefined where none could be written. */
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
  /** Where the uploads go to: store, bucket and prefix. */
  readonly #place: string;

  constructor(spool: SpoolDirectory, processes: Processes, place: string) {
    this.#spool = spool;
    this.#processes = processes;
    this.#place = place;
  }

  /** A courtesy: without a note it is the upload's age that tells. */
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

  /** Uploads to our place whose process is known to be dead, each with what forgets it. */
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
    return undefined; // its process was killed while it wrote
  }
}
