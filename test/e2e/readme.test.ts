/** The README and what it links to keep their word: every block marked `runnable` runs against the emulator, in order, those of each document in a directory of their own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEmulator, type Emulator } from '../../src/emulator/emulator.js';
import { cli } from '../support/programs/cli-in-process.js';
import { SHORT_LIVED_FLAGS } from '../support/programs/v8-flags.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DOCUMENTS = ['README.md', ...(await pagesOf('config/guide'))];

interface Block {
  readonly document: string;
  readonly language: string;
  readonly text: string;
  /** The heading above it. */
  readonly heading: string;
}

const blocks = (
  await Promise.all(
    DOCUMENTS.map(async (path) => runnableBlocks(path, await readFile(join(ROOT, path), 'utf8'))),
  )
).flat();
let directory: string;
let emulator: Emulator;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-readme-'));
  emulator = await startEmulator({ users: 6, sessions: 2, jobs: 2, rateLimit: 0 });
  await mkdir(join(directory, 'bin'));
  // a shell says which commands a block has: they run in this process, one after another
  const shim = join(directory, 'bin', 'jobvault');
  await writeFile(shim, `#!/bin/sh\nprintf '%s\\0' "$@" END >> "$HOME/commands"\n`);
  await chmod(shim, 0o755);
  await mkdir(join(directory, 'node_modules'));
  await symlink(ROOT, join(directory, 'node_modules', 'jobvault'));
});

afterAll(async () => {
  process.chdir(ROOT);
  await emulator.close();
  await rm(directory, { recursive: true, force: true });
});

it('the README and what it links to have runnable blocks, the library among them', () => {
  expect(blocks.filter(({ language }) => language === 'sh').length).toBeGreaterThan(3);
  expect(blocks.filter(({ language }) => language === 'ts').length).toBeGreaterThan(0);
});

it.each(blocks.map((block, index) => ({ ...block, index })))(
  'block $index, of $document under $heading, does what it says',
  { timeout: 120_000 },
  async ({ document, language, text, index }) => {
    const folder = join(directory, document.replaceAll('/', '-'));
    await mkdir(folder, { recursive: true });
    if (language === 'sh') {
      const commands = await commandsOf(text, folder);
      expect(commands.length).toBeGreaterThan(0);
      process.chdir(folder);
      for (const words of commands) {
        const { exitCode, stderr } = await cli(words, environment());
        expect([words, exitCode, exitCode === 0 ? '' : stderr]).toEqual([words, 0, '']);
      }
    } else {
      const file = join(folder, `block-${index}.mjs`);
      await writeFile(file, javascriptOf(text));
      await run(process.execPath, [...SHORT_LIVED_FLAGS, file], folder);
    }
  },
);

const environment = () => ({
  PATH: `${join(directory, 'bin')}:${process.env['PATH'] ?? ''}`,
  HOME: directory,
  JOBVAULT_BASE_URL: emulator.baseUrl,
  JOBVAULT_API_KEY: 'demo-key',
});

/** Each as its words. */
async function commandsOf(text: string, folder: string): Promise<string[][]> {
  const file = join(directory, 'commands');
  await rm(file, { force: true });
  await run('bash', ['--norc', '-e', '-u', '-o', 'pipefail', '-c', text], folder);
  const commands: string[][] = [[]];
  for (const word of (await readFile(file, 'utf8')).split('\0').slice(0, -1)) {
    if (word === 'END') commands.push([]);
    else commands.at(-1)?.push(word);
  }
  return commands.slice(0, -1);
}

async function run(program: string, words: readonly string[], folder = directory): Promise<void> {
  const child = spawn(program, [...words], { cwd: folder, env: environment() });
  let told = '';
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (piece: string) => (told += piece));
  }
  child.stdin.end();
  const [exitCode] = (await once(child, 'close')) as [number | null];
  expect(exitCode, told).toBe(0);
}

async function pagesOf(folder: string): Promise<string[]> {
  const names = await readdir(join(ROOT, folder));
  return names.toSorted().map((name) => `${folder}/${name}`);
}

function javascriptOf(text: string): string {
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  return ts.transpileModule(text, { compilerOptions }).outputText;
}

/** Fenced blocks whose info string says `runnable`. */
function runnableBlocks(document: string, markdown: string): Block[] {
  const found: Block[] = [];
  let heading = '';
  for (const match of markdown.matchAll(/^#+ (.*)$|^```(\w+)( runnable)?\n([\s\S]*?)^```$/gm)) {
    const [, title, language = '', runnable, text = ''] = match;
    if (title !== undefined) heading = title;
    else if (runnable !== undefined) found.push({ document, language, text, heading });
  }
  return found;
}
