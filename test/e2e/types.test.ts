/** The declarations of the packed package, as programs see them that have neither @types/node nor DuckDB. */
import { readdirSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;

const PROGRAM = `
import { exportToArchive, openArchive, JobvaultError, type ExportResult } from 'jobvault';
import { asSessionId, asUserId, createServiceClient } from 'jobvault/service';
import { startEmulator } from 'jobvault/emulator';

const { summary }: ExportResult = await exportToArchive({
  baseUrl: 'https://api.example.com',
  apiKey: 'a-key',
  users: ['ada'],
  out: './archive',
});
const status: string = summary.status;
await using archive = await openArchive('./archive');
const rows = await archive.queryResult('SELECT 1', async (result) => {
  const found: (string | null)[] = [];
  for await (const batch of result.rows()) for (const row of batch) found.push(...row);
  return found;
});
const typed = await archive.query<{ user_id: string; questions: number; at: Date | null }>('FROM v_usage_by_user');
const first: Date | null | undefined = typed[0]?.at;
for await (const { session, jobs } of archive.conversations()) {
  const name: string | null | undefined = session.name;
  use(name?.slice(), ...jobs.map(({ job, blocks }) => [job.question_text?.slice(), blocks[0]?.type?.slice()]));
}
await using making = await archive.making({ users: ['ada'], match: 'revenue' });
for await (const { about, jobs } of making.conversations()) {
  const number: number = about.number;
  use(number, ...jobs.map(({ job, redaction, matchedIn }) => [job.answer_text, redaction?.slice(), matchedIn.length]));
}
const service = createServiceClient({ baseUrl: 'https://api.example.com', apiKey: 'a-key' });
const page = await service.listSessions({ userId: asUserId('ada') });
const total: number | null | undefined = page.totalItems;
const names: (string | null | undefined)[] = page.records.map(({ value }) => value.name);
const sessionId = page.records[0]?.value.id ?? asSessionId('none');
const history = await service.getHistory({ userId: asUserId('ada'), sessionId });
const questions = history.records.flatMap(({ value }) => value.question?.blocks ?? []);
const types: (string | null | undefined)[] = questions.map(({ type }) => type);
await (await startEmulator({ users: 1 })).close();
use(JobvaultError, [status, total, first, ...rows, ...names, ...types]);
function use(...values: unknown[]): void {
  void values;
}
`;

/** The programs in TypeScript that the guide shows. */
async function guideBlocks(): Promise<string[]> {
  const guide = join(root, 'config/guide');
  const pages = await Promise.all(
    (await readdir(guide)).toSorted().map((page) => readFile(join(guide, page), 'utf8')),
  );
  return pages.flatMap((page) =>
    [...page.matchAll(/^```ts[^\n]*\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text),
  );
}

/** Both programs read the same declarations. */
const sources = new Map<string, ts.SourceFile | undefined>();
function sharedHost(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, how, ...more) => {
    const { impliedNodeFormat } = typeof how === 'object' ? how : {};
    const key = `${name} ${impliedNodeFormat}`;
    if (!sources.has(key)) sources.set(key, read(name, how, ...more));
    return sources.get(key);
  };
  return host;
}

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
  for (const [index, text] of (await guideBlocks()).entries()) {
    await writeFile(join(project, `guide-${index}.ts`), text);
  }
});

afterAll(() => rm(project, { recursive: true }));

it.each([
  ['nodenext', ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext],
  ['bundler', ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
])('resolve by the rules of %s, and have no error', (_rules, module, moduleResolution) => {
  const names = readdirSync(project).filter((name) => name.endsWith('.ts'));
  expect(names.length).toBeGreaterThan(4);
  const files = names.map((name) => join(project, name));
  const options: ts.CompilerOptions = {
    module,
    moduleResolution,
    target: ts.ScriptTarget.ES2023,
    strict: true,
    noEmit: true,
    types: [],
    // packages are links here: what stands beside their targets is not installed
    preserveSymlinks: true,
  };
  const program = ts.createProgram(files, options, sharedHost(options));
  // other packages' declarations ask for @types/node: theirs to mend, and not looked at
  const ours = program
    .getSourceFiles()
    .filter(
      ({ fileName }) => files.includes(fileName) || fileName.includes('/node_modules/jobvault/'),
    );
  expect(ours.length).toBeGreaterThan(100);
  const errors = ours.flatMap((source) => [
    ...program.getSyntacticDiagnostics(source),
    ...program.getSemanticDiagnostics(source),
  ]);
  expect(
    errors.map(
      (error) =>
        `${error.file?.fileName}: ${ts.flattenDiagnosticMessageText(error.messageText, ' ')}`,
    ),
  ).toEqual([]);
});
