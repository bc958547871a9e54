/** The files of config/deploy can be parsed, and say nothing to jobvault that it does not understand. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { COMMANDS } from '../../../src/cli/commands.js';
import { ALL_SETTING_NAMES } from '../../../src/config/all-settings.js';
import { variableOf } from '../../../src/config/resolve-settings.js';
import { commonSettings } from '../../../src/config/common-settings.js';

const FOLDER = fileURLToPath(new URL('../../../config/deploy', import.meta.url));
const FILES = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(FOLDER, join(entry.parentPath, entry.name)));
const VARIABLES = new Set(['JOBVAULT_API_KEY', ...ALL_SETTING_NAMES.map(variableOf)]);

const ALL = await Promise.all(COMMANDS.map(({ load }) => load()));
const textOf = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

/** Every list of texts in a document that begins with a command of ours, and what a shell is told to run. */
function commandLines(value: unknown): string[][] {
  if (typeof value === 'string' && value.startsWith('exec jobvault ')) {
    return [value.trim().split(/\s+/).slice(2)];
  }
  if (typeof value !== 'object' || value === null) return [];
  const words = Array.isArray(value) && value.every((word) => typeof word === 'string');
  const own = words && flagsOf(value[0] as string) !== undefined ? [value] : [];
  return [...own, ...Object.values(value).flatMap(commandLines)];
}

function flagsOf(word: string): Set<string> | undefined {
  const command = ALL.find(({ usage }) => usage.split(' ', 1)[0] === word);
  if (!command) return undefined;
  const settings = { ...command.settings, ...commonSettings };
  return new Set(Object.values(settings).map(({ name }) => name));
}

function expectKnown([command = '', ...words]: readonly string[]): void {
  const flags = flagsOf(command);
  for (const word of words.filter((one) => one.startsWith('-'))) {
    expect(flags, `${command} ${word}`).toContain(word.replace(/^--/, '').split('=', 1)[0]);
  }
}

describe('the deployment files', () => {
  it.each(FILES.filter((file) => file.endsWith('.yaml')))('%s are right', (file) => {
    const documents = parseAllDocuments(textOf(file), { merge: true });
    const values = documents.map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS() as unknown;
    });
    const lines = commandLines(values);
    expect(lines.length).toBeGreaterThan(0);
    lines.forEach(expectKnown);
  });

  it.each(['slurm-array.sh'])('%s are right', (file) => {
    const joined = textOf(file).replace(/\\\n/g, ' ');
    const lines = [...joined.matchAll(/^(?:exec )?jobvault (.*)$/gm)].map(([, words = '']) =>
      words.trim().split(/\s+/),
    );
    expect(lines.length).toBeGreaterThan(0);
    lines.forEach(expectKnown);
  });

  it.each(FILES)('%s name only variables that exist, and no secret', (file) => {
    const text = textOf(file);
    for (const [name] of text.matchAll(/JOBVAULT_[A-Z0-9_]+/g)) expect(VARIABLES).toContain(name);
    expect(text).not.toMatch(/(?:api-key|API_KEY|password)=[A-Za-z0-9]/i);
  });

  it('count the shards of the Indexed Job the same everywhere', () => {
    const [document] = parseAllDocuments(textOf('kubernetes-indexed-job.yaml'));
    const { spec } = document?.toJS() as {
      spec: {
        completions: number;
        parallelism: number;
        template: { spec: { containers: [{ command: string[] }] } };
      };
    };
    const [{ command }] = spec.template.spec.containers;
    const [, shards] =
      /--shard="\$\(\(JOB_COMPLETION_INDEX \+ 1\)\)\/(\d+)"/.exec(command.join(' ')) ?? [];
    expect([spec.parallelism, Number(shards)]).toEqual([spec.completions, spec.completions]);
  });
});
