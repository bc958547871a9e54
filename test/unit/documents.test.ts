/** Documents and comments point only at what is in this repository. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryFiles, ROOT } from '../support/base/repository-files.js';

const files = await repositoryFiles();
const texts = new Map(
  await Promise.all(
    files.map(async (file) => [file, await readFile(join(ROOT, file), 'utf8')] as const),
  ),
);
const documents = files.filter((file) => file.endsWith('.md'));

describe('the documents', () => {
  it('link only to files and headings that exist', () => {
    const broken = documents.flatMap((file) =>
      linksOf(texts.get(file) ?? '')
        .filter((link) => !isThere(file, link))
        .map((link) => `${file}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  it('name only source files that exist', () => {
    const unknown = documents.flatMap((file) =>
      [...(texts.get(file) ?? '').matchAll(/`([\w./-]+\.ts)\b[^`]*`/g)]
        .map(([, name = '']) => name)
        .filter((name) => !files.some((one) => `/${one}`.endsWith(`/${name}`)))
        .map((name) => `${file}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it('draw every room that the linter knows, and every one that there is', () => {
    const [arrows = ''] = (texts.get('config/room-arrows.js') ?? '').split('const homes');
    const known = [...arrows.matchAll(/^ {2}(\w+): /gm)].map(([, room = '']) => room);
    const there = files.flatMap((file) => /^src\/(\w+)\//.exec(file)?.[1] ?? []);
    const [picture = ''] = /```[^]*?```/.exec(texts.get('src/README.md') ?? '') ?? [];
    const drawn = new Set(picture.match(/\w+/g));
    expect(known.length).toBeGreaterThan(20);
    expect([...new Set([...known, ...there])].filter((room) => !drawn.has(room))).toEqual([]);
  });

  it('name no file twice in a row', () => {
    const twice = documents.flatMap((file) =>
      [...(texts.get(file) ?? '').matchAll(/`([\w./-]+\.ts)`[,;]? (?:and )?`\1`/g)].map(
        ([words]) => `${file}: ${words}`,
      ),
    );
    expect(twice).toEqual([]);
  });

  it('and the list of what is mutated name only files that exist', () => {
    const { mutate } = JSON.parse(texts.get('config/stryker.config.json') ?? '') as {
      readonly mutate: readonly string[];
    };
    const paths = mutate.flatMap((pattern) => {
      const [, before = pattern, names, after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? [];
      return names === undefined ? [pattern] : names.split(',').map((one) => before + one + after);
    });
    const beginnings = paths.map((path) => path.replace(/\*.*$/, ''));
    expect(beginnings.filter((one) => !files.some((file) => file.startsWith(one)))).toEqual([]);
  });

  it('are all that is named as a document anywhere', () => {
    const names = new Set(documents.map((file) => basename(file)));
    const unknown = [...texts].flatMap(([file, text]) =>
      [...text.matchAll(/(?<!')\b[\w-]+\.md\b/g)]
        .map(([name]) => name)
        .filter((name) => !names.has(name))
        .map((name) => `${file}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });
});

/** Without addresses of other hosts, and not within code. */
function linksOf(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
}

function isThere(from: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  const target = path === '' ? from : join(dirname(from), path);
  if (!existsSync(join(ROOT, target))) return false;
  return heading === undefined || headingsOf(texts.get(target) ?? '').has(heading);
}

/** As GitHub names them. */
function headingsOf(markdown: string): Set<string> {
  return new Set(
    [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
