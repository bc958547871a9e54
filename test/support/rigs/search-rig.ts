/** An archive of conversations in several scripts, with known times, for searches. */
import type { EmulatorOptions } from '../../../src/emulator/options.js';
import { ExportRig } from './export-rig.js';
import { cliJson } from '../programs/cli-in-process.js';

const DAY = 86_400_000;
/** What the first job of a rig was asked at. */
const START = Date.UTC(2026, 0, 10, 12);

export interface SaidJob {
  /** What is no text is sent as it is, here and below. */
  readonly question?: unknown;
  readonly answer?: unknown;
  readonly code?: unknown;
  /** What a step on the way to the answer says. */
  readonly step?: string;
  /** The name of a table. */
  readonly table?: string;
  /** The name of a table among the steps. */
  readonly stepTable?: string;
  /** What is in it. Default: a row; null: the file is not there. */
  readonly csv?: string | Uint8Array | null;
  readonly followUp?: string;
  /** The passage of a source. */
  readonly cited?: string;
  /** An id without a time. Default: a time, a day after that of the job before. */
  readonly id?: string;
}

export class SearchRig implements AsyncDisposable {
  #made = 0;

  private constructor(readonly rig: ExportRig) {}

  static async start(options: EmulatorOptions = {}): Promise<SearchRig> {
    const rig = await ExportRig.start(options);
    rig.state.putFile('table.csv', 'name,value\nx,1\n');
    return new SearchRig(rig);
  }

  /** The ids of the conversations that `show` lists, sorted. */
  async shown(): Promise<string[]> {
    const shown = await cliJson<{ sessions: { session_id: string }[] }>(['show', this.rig.out]);
    return shown.sessions.map(({ session_id: id }) => id).toSorted();
  }

  /** Not archived yet; the ids of the jobs. */
  talk(user: string, session: string, name: string, jobs: readonly SaidJob[]): string[] {
    const { state } = this.rig;
    const records = jobs.map(
      ({ question, answer, code, step, table, stepTable, csv, followUp, cited, id }) => {
        const block = (type: string, content: unknown, stage = 'Respond') => ({
          type,
          content,
          stage,
          group_id: '',
          group_name: '',
        });
        const key = csv === undefined ? 'table.csv' : `table-${this.#made}.csv`;
        if (csv != null) state.putFile(key, csv);
        const fileOf = (name: string) => ({
          name,
          url: `{{url:${key}}}`,
          expires_at: '{{expires_at}}',
        });
        const blocks = [
          ...(step === undefined ? [] : [block('MESSAGE', step, 'Analyze')]),
          ...(code === undefined ? [] : [block('CODE', code, 'Analyze')]),
          ...(stepTable === undefined ? [] : [block('TABLE', fileOf(stepTable), 'Analyze')]),
          ...(table === undefined ? [] : [block('TABLE', fileOf(table))]),
          block('MESSAGE', answer ?? 'Here it is.'),
          ...(cited === undefined
            ? []
            : [block('SOURCES', [{ source: 'terms.pdf', content: cited, page_no: 4 }])]),
          ...(followUp === undefined ? [] : [block('QUESTIONS', [followUp])]),
        ];
        return {
          job_id: id ?? state.newJobId(START + this.#made++ * DAY),
          question: { blocks: [{ type: 'MESSAGE', content: question ?? 'Show me.' }] },
          answer: { blocks },
        };
      },
    );
    if (state.userIds().includes(user) && state.sessionIds(user).includes(session)) {
      for (const record of records) state.addJob(user, session, record);
    } else {
      state.importJson(
        JSON.stringify({
          users: [{ user_id: user, sessions: [{ id: session, name, jobs: records }] }],
        }),
      );
    }
    return records.map(({ job_id: id }) => id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig[Symbol.asyncDispose]();
  }
}
