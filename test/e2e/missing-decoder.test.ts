/** A package that is not installed is no damage: the archive is as it was, and the sentence says what is missing. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CliRig } from '../support/rigs/cli-rig.js';

let rig: CliRig;
let environment: Readonly<Record<string, string>>;
beforeAll(async () => {
  rig = await CliRig.start({ users: 1, sessions: 1, jobs: 1 });
  await rig.export();
  const hooks = join(rig.directory, 'hooks.mjs');
  const preload = join(rig.directory, 'preload.mjs');
  await writeFile(
    hooks,
    `export async function resolve(name, context, next) {
      return next(name === '@bokuweb/zstd-wasm' ? '@bokuweb/is-not-there' : name, context);
    }`,
  );
  await writeFile(
    preload,
    `import { register } from 'node:module';
    register(${JSON.stringify(pathToFileURL(hooks).href)});`,
  );
  environment = { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` };
});
afterAll(() => rig[Symbol.asyncDispose]());

it.each(['verify', 'evidence', 'erase'])(
  '%s says which package is missing, and nothing of damage',
  async (name) => {
    const words = {
      verify: ['verify', rig.out],
      evidence: ['evidence', rig.out, '--out', join(rig.directory, 'pack')],
      erase: ['erase', rig.out, '--user', rig.state.userIds()[0] ?? '', '--yes'],
    }[name];
    const { exitCode, stderr } = await rig.runProgram(words ?? [], { environment });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('@bokuweb/zstd-wasm, cannot be loaded here'),
    ]);
    expect(stderr).not.toMatch(/damage|is not valid/);
  },
);
