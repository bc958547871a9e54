/** Reads back the one value of a metrics file that outlives the run it came from. */
import type { RunReport } from './run-report.js';

export interface LastSuccess {
  readonly archive: string;
  readonly seconds: number;
}

const SAMPLE =
  /^jobvault_last_success_timestamp_seconds\{command="((?:[^"\\]|\\.)*)",archive="((?:[^"\\]|\\.)*)",host="(?:[^"\\]|\\.)*"\} (\S+)$/gm;

/** Of the same command, and of the same archive where that is known. */
export function lastSuccessIn(
  text: string,
  { command, archive }: Pick<RunReport, 'command' | 'archive'>,
): LastSuccess | undefined {
  const samples = [...text.matchAll(SAMPLE)].map(([, ofCommand = '', ofArchive = '', value]) => ({
    command: unescaped(ofCommand),
    archive: unescaped(ofArchive),
    seconds: Number(value),
  }));
  return samples.find(
    (sample) =>
      sample.command === command &&
      (archive === null || sample.archive === archive) &&
      Number.isFinite(sample.seconds),
  );
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
}
