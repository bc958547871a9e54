/** The declarations of the packed package, as programs see them that have neither @types/node nor DuckDB. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const run = promisify(execFile);

const PROGRAM = `
import { exportToArchive, openArchive, JobvaultError, type ExportResult } from 'jobvault';
import { asUserId, createServiceClient } from 'jobvault/service';
import { startEmulator } from 'jobvault/emulator';

const { summary }: ExportResult = await exportToArchive({
  baseUrl: 'https://api.example.com',
  apiKey: 'a-key',
  users: ['ada'],
  out: './archive',
});
const status: string = summary.status;
await using archive = await openArchive('./archive');
const rows = await archive.query('SELECT 1', async (result) => {
  const found: (string | null)[] = [];
  for await (const batch of result.rows()) for (const row of batch) found.push(...row);
  return found;
});
const service = createServiceClient({ baseUrl: 'https://api.example.com', apiKey: 'a-key' });
const page = await service.listSessions({ userId: asUserId('ada') });
const name: string | null = page.items[0]?.value.name ?? null;
await (await startEmulator({ users: 1 })).close();
throw new JobvaultError([status, name, ...rows].join());
`;

let project: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'jobvault-types-'));
  const modules = join(project, 'node_modules');
  await mkdir(join(modules, 'jobvault'), { recursive: true });
  await cp(join(root, 'package.json'), join(modules, 'jobvault', 'package.json'));
  await symlink(join(root, 'dist'), join(modules, 'jobvault', 'dist'));
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean }>;
  };
  for (const [path, { dev, optional }] of Object.entries(lock.packages)) {
    if (!/^node_modules\/(?!.*\/node_modules\/|@types\/)/.test(path) || dev || optional) continue;
    await mkdir(dirname(join(project, path)), { recursive: true });
    await symlink(join(root, path), join(project, path));
  }
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
  await writeFile(join(project, 'program.ts'), PROGRAM);
});

afterAll(() => rm(project, { recursive: true }));

it.each([
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
])('resolve with module %s and resolution %s, and have no error', async (module, resolution) => {
  const options = {
    module,
    moduleResolution: resolution,
    target: 'es2023',
    strict: true,
    noEmit: true,
    types: [],
    skipLibCheck: false,
    // packages are links here: what stands beside their targets is not installed
    preserveSymlinks: true,
  };
  const file = join(project, `tsconfig.${resolution}.json`);
  await writeFile(file, JSON.stringify({ compilerOptions: options, files: ['program.ts'] }));
  // it ends with an error, of which the output tells
  const { stdout: told } = await run(process.execPath, [compiler, '-p', file], {
    cwd: project,
  }).catch((error: unknown) => error as { readonly stdout: string });
  // other packages' declarations ask for @types/node: theirs to mend
  const ours = told
    .split('\n')
    .filter((line) => /^(?:program|node_modules\/jobvault)\b/.test(line));
  expect(ours).toEqual([]);
  expect(told).not.toContain("Cannot find module 'jobvault");
});
