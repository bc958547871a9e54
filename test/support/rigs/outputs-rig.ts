/** An archive of one imported history, and every output in which a person reads it. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { Assistant } from '../programs/assistant.js';
import { cli } from '../programs/cli-in-process.js';
import { ExportRig } from './export-rig.js';

const HISTORIES = join(import.meta.dirname, '../histories');

export class OutputsRig implements AsyncDisposable {
  private constructor(readonly rig: ExportRig) {}

  /** @param name of a file among the histories */
  static async ofHistory(name: string): Promise<OutputsRig> {
    return OutputsRig.of(await readFile(join(HISTORIES, `${name}.json`), 'utf8'));
  }

  /** @param json what `serve --import` takes */
  static async of(json: string): Promise<OutputsRig> {
    const rig = await ExportRig.start();
    rig.state.importJson(json);
    await rig.export();
    return new OutputsRig(rig);
  }

  /** What a command says; with its exit code where that is none of those. */
  async said(...words: string[]): Promise<string> {
    const { stdout, stderr, exitCode } = await cli(words);
    if (exitCode !== 0 && exitCode !== 3) throw new Error(`${words.join(' ')}: ${stderr}`);
    return stdout;
  }

  /** By output: all that it says to a reader. */
  async outputs(): Promise<ReadonlyMap<string, string>> {
    const { out, directory } = this.rig;
    const [session = ''] = (await this.rig.rows('sessions')).map((row) =>
      String(row['session_id']),
    );
    const report = join(directory, 'report');
    await this.said('report', out, '--out', report);
    const pack = join(directory, 'pack');
    await this.said('evidence', out, '--user', 'ada', '--out', pack);
    const workbook = join(directory, 'ada.xlsx');
    await this.said('workbook', out, '--user', 'ada', '--out', workbook);
    const { sheets } = await readXlsx(await readFile(workbook));
    const conversations = sheets.find(({ name }) => name === 'Conversations');
    await using assistant = await Assistant.inProcess(out);
    const { data } = await assistant.ask('show', { session });
    return new Map([
      ['report', await textsBelow(join(report, 'data', 's'))],
      ['pack page', await textsBelow(join(pack, 'data', 'data', 's'))],
      ['transcript', await textsBelow(join(pack, 'data', 'transcripts'))],
      ['show', await this.said('show', out, session)],
      ['show --json', await this.said('show', out, session, '--json')],
      ['workbook', (conversations?.rows ?? []).flat().map(String).join('\n')],
      ['MCP', JSON.stringify(data)],
    ]);
  }

  /** How many jobs a search finds. */
  async matches(words: string): Promise<number> {
    const json = await this.said('search', this.rig.out, words, '--json');
    return (JSON.parse(json) as { matches: number }).matches;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig[Symbol.asyncDispose]();
  }
}

async function textsBelow(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  return texts.join('\n');
}
