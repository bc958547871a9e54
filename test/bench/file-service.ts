/** An emulator in a process of its own whose jobs have files of one size, no two alike; and the export of them. */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { PNG } from 'pngjs';
import { startEmulator } from '../../src/emulator/emulator.js';
import { measuredNode, type MeasuredProcess } from './measured-process.js';

const FILES_OF_A_JOB = 8;
const PAGE_SIZE = 100;

export interface FilesWanted {
  readonly jobs: number;
  readonly fileBytes: number;
  /** Before every answer. */
  readonly latencyMs: number;
}

export class FileService implements Disposable {
  private constructor(
    readonly baseUrl: string,
    readonly user: string,
    readonly files: number,
    private readonly stop: () => void,
  ) {}

  static async start(wanted: FilesWanted): Promise<FileService> {
    const child = fork(fileURLToPath(import.meta.url), ['serve', JSON.stringify(wanted)]);
    const [{ baseUrl, user }] = (await once(child, 'message')) as [
      { baseUrl: string; user: string },
    ];
    return new FileService(baseUrl, user, wanted.jobs * FILES_OF_A_JOB, () => child.kill());
  }

  /** Fresh ones, as the history hands them out. */
  async urls(): Promise<string[]> {
    const { user } = this;
    const listing = await this.#page(`/v2/team/sessions?user_id=${user}`);
    const urls = new Set<string>();
    for (const { id } of listing.records) {
      for (let number = 1; ; number++) {
        const query = `user_id=${user}&page_size=${PAGE_SIZE}&page_number=${number}`;
        const { text, records } = await this.#page(
          `/v2/team/sessions/${id ?? ''}/history?${query}`,
        );
        for (const [, url = ''] of text.matchAll(/"(http[^"]+X-Amz-Signature[^"]+)"/g))
          urls.add(url);
        if (records.length < PAGE_SIZE) break;
      }
    }
    return [...urls];
  }

  async export(out: string, connections = 8): Promise<MeasuredProcess> {
    const { baseUrl, user } = this;
    const args = ['export', '--base-url', baseUrl, '--user', user, '--out', out];
    const limit = ['--file-concurrency', String(connections), '--log-level', 'error'];
    return measuredNode([...args, ...limit], { environment: { JOBVAULT_API_KEY: 'demo-key' } });
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  async #page(path: string): Promise<{ text: string; records: { id?: string }[] }> {
    const answer = await fetch(this.baseUrl + path, { headers: { 'x-pd-api-key': 'demo-key' } });
    const text = await answer.text();
    const { records } = (JSON.parse(text) as { data: { records: { id?: string }[] } }).data;
    return { text, records };
  }
}

async function serve({ jobs, fileBytes, latencyMs }: FilesWanted): Promise<void> {
  const { baseUrl, state } = await startEmulator({
    users: 1,
    sessions: 1,
    jobs,
    exactJobs: true,
    artifactsPerJob: FILES_OF_A_JOB,
    faults: { latencyMs, fileLatencyMs: latencyMs },
  });
  const [user = ''] = state.userIds();
  const [session = ''] = state.sessionIds(user);
  for (const job of state.jobIds(user, session)) {
    for (const key of state.fileKeys(user, session, job)) {
      if (key.endsWith('.png')) state.putFile(key, picture(fileBytes), 'image/png');
      else state.putFile(key, table(fileBytes));
    }
  }
  process.send?.({ baseUrl, user });
}

function table(bytes: number): string {
  const lines = ['region,quarter,revenue,note\n'];
  for (let length = 0; length < bytes; length += lines.at(-1)?.length ?? 0) {
    const note = randomBytes(12).toString('base64');
    lines.push(`region ${length},Q${1 + (length % 4)},${length * 17},"${note}, checked"\n`);
  }
  return lines.join('');
}

/** Noise, which does not compress. */
function picture(bytes: number): Buffer {
  const side = Math.round(Math.sqrt(bytes / 3));
  const png = new PNG({ width: side, height: side });
  png.data = randomBytes(side * side * 4);
  return PNG.sync.write(png, { colorType: 2, inputHasAlpha: true, deflateLevel: 0, filterType: 0 });
}

const [action, wanted = ''] = process.argv.slice(2);
if (action === 'serve') await serve(JSON.parse(wanted) as FilesWanted);
