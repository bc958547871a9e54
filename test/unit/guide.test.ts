/** The README and the guide name only commands and flags that there are, and the package has every file to which its documents link. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../src/cli/command.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { SLOTS_OFF_THE_CAP } from '../../src/model/session-cap.js';
import { commonSettings } from '../../src/config/common-settings.js';
import { repositoryFiles, ROOT } from '../support/base/repository-files.js';

const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');
const files = await repositoryFiles();
const PAGES = [
  'README.md',
  ...files.filter((file) => /^config\/(guide|deploy|iam|warehouse)\/.*\.md$/.test(file)),
];

/** What is typed after `jobvault`, in blocks of a shell and within sentences. */
function callsOf(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```sh.*\n([^]*?)^```$/gm)].flatMap(([, text = '']) =>
    text.split('\n').map((line) => line.replace(/\s#.*$/, '')),
  );
  const inSentences = [...markdown.matchAll(/`(jobvault [^`]+)`/g)].map(([, text = '']) => text);
  return [...blocks, ...inSentences].flatMap((line) =>
    [...line.matchAll(/(?:^|[\s(`])jobvault ([a-z][^|;&)]*)/g)].map(([, call = '']) => call),
  );
}

/** What a call names that there is not. */
async function unknownOf(call: string): Promise<string[]> {
  const words = call.trim().split(/\s+/);
  const listed = COMMANDS.map((command) => ({ command, named: wordsOf(command) })).find(
    ({ named }) => named.every((word, at) => words[at] === word),
  );
  const families = new Set(COMMANDS.map((command) => wordsOf(command)[0]));
  if (!listed) return words[0] === 'help' || families.has(words[0] ?? '') ? [] : [call];
  const command = await listed.command.load();
  const flags = Object.values({ ...command.settings, ...commonSettings }).map(({ name }) => name);
  const typed = [...call.split(' -- ', 1)[0]!.matchAll(/(?<=\s)--([a-z][\w-]*)/g)];
  return typed.flatMap(([, flag = '']) =>
    [...flags, 'help', 'all'].includes(flag) ? [] : [`--${flag} in: ${call}`],
  );
}

describe('the guide', () => {
  it.each(PAGES)('%s names only commands and flags that there are', async (page) => {
    const calls = callsOf(await read(page));
    const unknown = await Promise.all(calls.map(unknownOf));
    expect(unknown.flat()).toEqual([]);
  });

  it('and help propose to free as many slots of a user as end the alarm', async () => {
    const places = [...PAGES, 'src/cli/commands/prune.ts'];
    const texts = await Promise.all(places.map(read));
    const numbers = texts.map((text) => [
      ...new Set([...text.matchAll(/--free-slots (\d+)/g)].map(([, number]) => number)),
    ]);
    const wanted = String(SLOTS_OFF_THE_CAP);
    expect(numbers.filter((found) => found.length > 0)).toEqual(Array(4).fill([wanted]));
  });

  it('the README leads to every page of it', async () => {
    const pages = files.filter((file) => file.startsWith('config/guide/'));
    expect(pages.length).toBeGreaterThan(10);
    const linked = new Set<string>();
    const follow = async (page: string): Promise<void> => {
      if (linked.has(page)) return;
      linked.add(page);
      for (const link of linksOf(page, await read(page))) {
        if (link.startsWith('config/guide/')) await follow(link);
      }
    };
    await follow('README.md');
    expect(pages.filter((page) => !linked.has(page))).toEqual([]);
  });

  it('says of each alert what is to be done', async () => {
    const rules = await read('config/deploy/alerts.yml');
    const alerts = [...rules.matchAll(/- alert: (\w+)[^]*?severity: (\w+)/g)];
    expect(alerts.length).toBeGreaterThan(10);
    const page = await read('config/guide/operations.md');
    const rows = [...page.matchAll(/^\| `(Jobvault\w+)` +\| (\w+) +\| \S/gm)];
    const named = (matches: RegExpMatchArray[]) => matches.map(([, name, level]) => [name, level]);
    expect(named(rows).sort()).toEqual(named(alerts).sort());
  });

  it('the package has every file to which its documents link', async () => {
    const { files: named } = JSON.parse(await read('package.json')) as { files: string[] };
    // npm adds these by itself
    const packed = [...named, 'README.md', 'LICENSE', 'package.json'];
    const isPacked = (path: string) =>
      packed.some((entry) => path === entry || path.startsWith(`${entry}/`));
    const documents = files.filter((path) => path.endsWith('.md') && isPacked(path));
    expect(documents).toEqual(expect.arrayContaining(PAGES));
    const dead = await Promise.all(
      documents.map(async (page) =>
        linksOf(page, await read(page))
          .filter((link) => !isPacked(link) || !existsSync(join(ROOT, link)))
          .map((link) => `${page}: ${link}`),
      ),
    );
    expect(dead.flat()).toEqual([]);
  });
});

/** Relative ones, as paths of the repository. */
function linksOf(page: string, markdown: string): string[] {
  const prose = markdown.replace(/^```[^]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link.split('#')[0] ?? '')
    .filter((link) => link !== '' && !/^[a-z]+:/.test(link))
    .map((link) => normalize(join(dirname(page), link)).replace(/\/$/, ''));
}
