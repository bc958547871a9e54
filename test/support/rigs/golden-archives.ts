/**
 * Archives that were exported once and are copied from then on, for tests of what becomes of an archive. An export is
 * not made again where the service has the same content at the same address as before, and so has the same answer.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '../../../src/base/digest.js';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import type { EmulatorOptions } from '../../../src/emulator/options.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';

interface GoldenArchive {
  readonly directory: string;
  readonly summary: ExportSummary;
}

/** By the digest of what the service had. */
const archives = new Map<string, GoldenArchive>();
let folder: string | undefined;
/** Of the last emulator, which the next one takes again if it can. */
let ports = { port: 0, filesPort: 0 };

/** Where possible at the address of the emulator before, which is in the archives of it. */
export async function startAtSameAddress(options: EmulatorOptions): Promise<Emulator> {
  const emulator = await startEmulator({ ...ports, ...options }).catch(() =>
    startEmulator(options),
  );
  ports = { port: portOf(emulator.baseUrl), filesPort: portOf(emulator.filesUrl) };
  return emulator;
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/**
 * @param options.make exports all that the emulator has into the directory, which does not exist yet
 * @param options.conditions whatever else makes a difference, as JSON
 */
export async function copyOfGolden({
  emulator,
  directory,
  conditions,
  make,
}: {
  readonly emulator: Emulator;
  readonly directory: string;
  readonly conditions: readonly unknown[];
  readonly make: () => Promise<ExportSummary>;
}): Promise<ExportSummary> {
  if (existsSync(directory)) throw new Error(`there is an archive already: ${directory}`);
  const faults = { ...emulator.faults, resolveUser: undefined };
  // what a function does is not known; how a user's id is resolved always is one
  if (hasFunction([conditions, faults])) return make();
  const key = sha256Hex(JSON.stringify([conditions, digestOf(emulator)]));
  const golden = archives.get(key);
  if (golden) {
    copyDirectory(golden.directory, directory);
    return golden.summary;
  }
  const summary = await make();
  const kept = join(goldenFolder(), `${archives.size}`);
  copyDirectory(directory, kept);
  archives.set(key, { directory: kept, summary });
  return summary;
}

function goldenFolder(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), 'jobvault-golden-'));
  process.once('exit', () => {
    rmSync(made, { recursive: true, force: true });
  });
  return (folder = made);
}

function hasFunction(value: unknown): boolean {
  if (typeof value === 'function') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasFunction);
}

/** Of all that an export asks for, and of how it is answered. */
function digestOf({ baseUrl, filesUrl, state, faults }: Emulator): string {
  const files = new Set<string>();
  const users = state.userIds().map((user) => [
    user,
    state.sessionIds(user).map((session) => [
      state.sessionFields(user, session),
      state.jobIds(user, session).map((job) => {
        for (const key of state.fileKeys(user, session, job)) files.add(key);
        return state.jobText(user, session, job);
      }),
    ]),
  ]);
  const contents = [...files].map((key) => {
    const file = state.file(key);
    return [key, file && sha256Hex(file.bytes), file?.mediaType];
  });
  const answers = [
    baseUrl,
    filesUrl,
    users,
    contents,
    state.datasets(),
    faults,
    String(faults.resolveUser),
  ];
  return sha256Hex(JSON.stringify(answers));
}

function copyDirectory(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyDirectory(source, target);
    else copyFileSync(source, target);
  }
}
