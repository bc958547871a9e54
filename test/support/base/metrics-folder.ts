/** What the runs of a folder of `--metrics-dir` have left, all their files together, as node_exporter serves them. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Empty where no run has left anything, or the folder is not there. */
export async function metricsIn(folder: string): Promise<string> {
  const names = await readdir(folder).catch((): string[] => []);
  const files = names.filter((name) => name.endsWith('.prom')).toSorted();
  return (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('');
}

/** The sum of a gauge over its labels, in lines of the metrics text of one command. */
export function gaugeOf(text: string, command: string, name: string, label = ''): number {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`jobvault_${name}{command="${command}"`))
    .filter((line) => line.includes(label))
    .reduce((all, line) => all + Number(line.split(' ').at(-1)), 0);
}
