/** The README and what it links to name what there is: commands, methods of an open archive, exit codes, the Nodes that CI tests. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.js';
import { EXIT } from '../../src/cli/exit-code.js';
import { OpenArchive } from '../../src/library/open-archive.js';
import { ROOT } from '../support/base/repository-files.js';

const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');
const README = await read('README.md');

/** From a heading to the next one. */
function section(heading: string, document = README): string {
  return document.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
}

it('has every command in the guide’s table, or the family that it belongs to', async () => {
  const rows = section('All commands', await read('config/guide/commands.md'))
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  const named = new Set(
    rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`([a-z]+)/g)].map(([, one]) => one),
    ),
  );
  const words = new Set(COMMANDS.map(({ usage }) => usage.split(' ', 1)[0]));
  expect([...words].filter((word) => !named.has(word))).toEqual([]);
});

it('links to every exit code', async () => {
  const reference = await read('config/guide/exit-codes.md');
  const codes = [...reference.matchAll(/^\| (\d+)/gm)].map(([, code]) => Number(code));
  expect(Object.values<number>(EXIT).filter((code) => !codes.includes(code))).toEqual([]);
});

it('links to every method of an open archive, and no other', async () => {
  const examples = section('What an open archive has', await read('config/guide/library.md'));
  const [sentence = ''] = /An open archive has [^.]*\./.exec(examples) ?? [];
  const named = [...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const members = Object.entries(Object.getOwnPropertyDescriptors(OpenArchive.prototype));
  const methods = members
    .filter(([name, { value }]) => typeof value === 'function' && name !== 'constructor')
    .map(([name]) => name);
  expect(named.toSorted()).toEqual(methods.filter((name) => name !== 'close').toSorted());
});

it('has the oldest Node that is supported, the most used and the newest, as CI tests them', async () => {
  const { engines } = JSON.parse(await read('package.json')) as { engines: { node: string } };
  const oldest = engines.node.replace('>=', '');
  const [, newest = ''] = /set -- "\$oldest" (\d+)$/m.exec(await read('.ci/nodes')) ?? [];
  const [, main = ''] =
    /install-node (\d+)\)[\s\S]*&& \.ci\/nodes'/m.exec(await read('.ci/run')) ?? [];
  expect(README).toContain(`(CI tests ${oldest}, ${main} and ${newest})`);
});
