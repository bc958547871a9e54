/**
 * A BagIt validator written from RFC 8493 alone: it shares no line with what writes our bags, and so
 * finds what both would get wrong together. Covers bags with SHA-256 manifests.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';

/** What is wrong with the bag in a directory; nothing where it is complete and valid. */
export async function bagProblems(directory: string): Promise<string[]> {
  const problems: string[] = [];
  const files = await filesIn(directory);
  const tags = files.filter((path) => !path.startsWith('data/'));
  const payload = files.filter((path) => path.startsWith('data/'));

  // 2.1.1: exactly these two lines
  const declaration = await textOf(directory, 'bagit.txt', problems);
  if (!/^BagIt-Version: 1\.0\r?\nTag-File-Character-Encoding: UTF-8\r?\n$/.test(declaration)) {
    problems.push('bagit.txt is no bag declaration');
  }
  // 2.1.2: the payload directory
  if (payload.length === 0) problems.push('there is no payload');

  // 2.1.3: every payload file in every payload manifest, each once, and nothing else
  const manifests = tags.filter((path) => /^manifest-[a-z0-9]+\.txt$/.test(path));
  if (manifests.length === 0) problems.push('there is no payload manifest');
  for (const name of manifests) {
    const listed = await listedIn(directory, name, problems);
    for (const path of listed.keys()) {
      if (!path.startsWith('data/')) problems.push(`${name} lists ${path}, which is no payload`);
    }
    for (const path of payload) {
      if (!listed.has(path)) problems.push(`${name} does not list ${path}`);
    }
    await checkDigests(directory, name, listed, problems);
  }
  // 2.2.1: tag manifests list tag files, never themselves
  for (const name of tags.filter((path) => /^tagmanifest-[a-z0-9]+\.txt$/.test(path))) {
    const listed = await listedIn(directory, name, problems);
    for (const path of listed.keys()) {
      if (path.startsWith('data/') || path.startsWith('tagmanifest-')) {
        problems.push(`${name} lists ${path}, which it must not`);
      }
    }
    for (const path of manifests) {
      if (!listed.has(path)) problems.push(`${name} does not list ${path}`);
    }
    await checkDigests(directory, name, listed, problems);
  }
  // 2.2.2
  if (tags.includes('bag-info.txt')) {
    const info = parseInfo(await textOf(directory, 'bag-info.txt', problems), problems);
    const oxums = info.filter(([label]) => label.toLowerCase() === 'payload-oxum');
    if (oxums.length > 1) problems.push('Payload-Oxum stands more than once');
    let bytes = 0;
    for (const path of payload) bytes += (await readFile(join(directory, path))).length;
    const [oxum] = oxums;
    if (oxum && oxum[1] !== `${bytes}.${payload.length}`) {
      problems.push(`Payload-Oxum is ${oxum[1]}, but there are ${bytes}.${payload.length}`);
    }
    for (const [label, value] of info) {
      if (label === 'Bagging-Date' && !/^\d{4}-\d\d-\d\d$/.test(value)) {
        problems.push(`Bagging-Date is ${value}`);
      }
    }
  }
  return problems;
}

export async function bagInfoOf(directory: string): Promise<(readonly [string, string])[]> {
  return parseInfo(await readFile(join(directory, 'bag-info.txt'), 'utf8'), []);
}

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .map((path) => path.split(sep).join(posix.sep));
}

async function textOf(directory: string, path: string, problems: string[]): Promise<string> {
  try {
    const bytes = await readFile(join(directory, path));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    problems.push(`${path} cannot be read: ${String(error)}`);
    return '';
  }
}

/** 2.1.3: `checksum filepath`, one or more spaces or tabs between; %0A, %0D and %25 are decoded. */
async function listedIn(
  directory: string,
  name: string,
  problems: string[],
): Promise<Map<string, string>> {
  const listed = new Map<string, string>();
  const lines = (await textOf(directory, name, problems)).split(/\r\n|\r|\n/);
  if (lines.pop() !== '') problems.push(`${name} ends in the middle of a line`);
  for (const line of lines) {
    const [, checksum, encoded] = /^([0-9a-fA-F]+)[ \t]+(.+)$/.exec(line) ?? [];
    if (checksum === undefined || encoded === undefined) {
      problems.push(`${name} has the line ${JSON.stringify(line)}`);
      continue;
    }
    const path = encoded.replace(/%(0A|0D|25)/gi, (code) => decodeURIComponent(code));
    if (path.startsWith('/') || path.startsWith('~') || path.split('/').includes('..')) {
      problems.push(`${name} points out of the bag: ${path}`);
    }
    if (listed.has(path)) problems.push(`${name} lists ${path} twice`);
    listed.set(path, checksum.toLowerCase());
  }
  return listed;
}

async function checkDigests(
  directory: string,
  name: string,
  listed: ReadonlyMap<string, string>,
  problems: string[],
): Promise<void> {
  if (!name.endsWith('-sha256.txt')) problems.push(`${name} is of an algorithm not known here`);
  for (const [path, checksum] of listed) {
    const bytes = await readFile(join(directory, path)).catch(() => undefined);
    if (!bytes) problems.push(`${name} lists ${path}, which is not there`);
    else if (createHash('sha256').update(bytes).digest('hex') !== checksum) {
      problems.push(`${path} has another digest than ${name} says`);
    }
  }
}

/** `label: value`, continued on lines that begin with white space. */
function parseInfo(text: string, problems: string[]): (readonly [string, string])[] {
  const elements: (readonly [string, string])[] = [];
  for (const line of text.replace(/\r\n?/g, '\n').replace(/\n$/, '').split('\n')) {
    const last = elements.at(-1);
    if (/^[ \t]/.test(line) && last) {
      elements[elements.length - 1] = [last[0], `${last[1]} ${line.trim()}`];
      continue;
    }
    const [, label, value] = /^([^\s:][^:]*):[ \t](.*)$/.exec(line) ?? [];
    if (label === undefined || value === undefined) {
      problems.push(`bag-info.txt has the line ${JSON.stringify(line)}`);
    } else elements.push([label, value]);
  }
  return elements;
}
