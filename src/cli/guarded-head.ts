/**
 * `--head-file` around every command that takes it: what commits or deletes compares the log with the head that is kept
 * elsewhere before it begins, and notes the newest commit after it. `verify` and `doctor` compare, and go on.
 */
import type { HeadFile, HeadState } from '../archive/witnesses/head-file.js';
import type { Archive } from '../archive/archive.js';
import type { ValuesOf } from '../config/resolve-settings.js';
import { exportSettings } from '../config/export-settings.js';
import { storageOptionsOf, type storageSettings } from '../config/storage-settings.js';
import type { Command, CommandResult, Invocation } from './command.js';
import { EXIT } from './exit-code.js';
import { assertOutsideArchive } from './input/outside-archive.js';
import { archiveOfSetting, fullLocation } from './command-place.js';

type GivenSettings = ValuesOf<typeof storageSettings> & {
  readonly headFile?: string | undefined;
  readonly out?: string | undefined;
  readonly dryRun?: boolean;
};

type Guarded = Pick<Invocation, 'positionals' | 'sources' | 'logger'> & {
  readonly settings: GivenSettings;
};

/** Which settings a command has, its group says: the list of commands hides that. */
function guardedOf(invocation: Invocation): Guarded {
  return invocation as unknown as Guarded;
}

/**
 * @throws {IntegrityError} the archive does not have the commit that the file names: nothing was done
 * @throws {UsageError} the file is of another archive, or lies in this one
 */
export async function withGuardedHead(
  command: Command,
  invocation: Invocation,
  run: () => Promise<CommandResult>,
): Promise<CommandResult> {
  const guarded = guardedOf(invocation);
  const { settings, logger } = guarded;
  const { headFile: place } = settings;
  const location = locationOf(command, guarded);
  const isReading = command.onlyReads?.(settings) === true;
  if (place === undefined || location === undefined || isReading) return run();
  await assertOutsideArchive(place, location);
  const { HeadFile } = await import('../archive/witnesses/head-file.js');
  const file = await HeadFile.open(place, storageOptionsOf(settings), logger);
  try {
    const isOfOne = isMeantFor(location, command, guarded);
    const state = await inArchive(location, guarded, (archive) =>
      file.assertKept(archive, { isOfOne }),
    );
    const isPlan = command.isDryRun?.(settings) === true || settings.dryRun === true;
    if (isPlan || state === 'other') return await run();
    const result = await run().catch(async (error: unknown) => {
      // what failed may have committed before
      await noted(file, location, guarded);
      throw error;
    });
    const error = await noted(file, location, guarded);
    return error === undefined ? result : withError(result, error);
  } finally {
    await file.close();
  }
}

/**
 * The commit of this archive that is kept elsewhere, for a check that reads on where the log does not have it. Warns where
 * the file that is meant for this archive has none: what was not compared must not pass for proven.
 */
export async function keptHead(
  invocation: Invocation,
  { identity, location }: { readonly identity: Archive['identity']; readonly location: string },
): Promise<{ readonly number: number; readonly digest: string } | undefined> {
  const guarded = guardedOf(invocation);
  const { headFile: place } = guarded.settings;
  if (place === undefined) return undefined;
  const { HeadFile } = await import('../archive/witnesses/head-file.js');
  const file = await HeadFile.open(place, storageOptionsOf(guarded.settings), guarded.logger);
  try {
    const head = await file.headOf(identity.id);
    if (!head && isMeantFor(location, guarded, guarded)) {
      guarded.logger.warn(
        {},
        `${place} (--head-file) has no head of this archive: the log is not compared with one`,
      );
    }
    return head;
  } finally {
    await file.close();
  }
}

/**
 * Compares the log with the head that is kept elsewhere, as the next command that changes the archive will.
 *
 * @throws {JobvaultError} why that command would be refused
 */
export async function headStateOf(
  invocation: Invocation,
  { headFile: place, out }: { readonly headFile: string; readonly out: string },
): Promise<HeadState> {
  const guarded = guardedOf(invocation);
  const { HeadFile } = await import('../archive/witnesses/head-file.js');
  const file = await HeadFile.open(place, storageOptionsOf(guarded.settings), guarded.logger);
  try {
    return await inArchive(out, guarded, (archive) => file.assertKept(archive, { isOfOne: true }));
  } finally {
    await file.close();
  }
}

function locationOf({ positionals }: Command, { settings, ...given }: Guarded): string | undefined {
  return 'archive' in positionals ? given.positionals['archive'] : settings.out;
}

/**
 * See `archiveOfSetting`; where nothing names one, it is meant for that of a command that takes it from the settings alone.
 */
function isMeantFor(
  location: string,
  { positionals }: Pick<Command, 'positionals'>,
  { sources }: Guarded,
): boolean {
  if (exportSettings.headFile.name in sources.flags) return true;
  const archive = archiveOfSetting(exportSettings.headFile, sources);
  return archive === undefined ? !('archive' in positionals) : archive === fullLocation(location);
}

async function inArchive<T>(
  location: string,
  { settings, logger }: Guarded,
  use: (archive: Archive | undefined) => Promise<T>,
): Promise<T> {
  const [{ openStorage }, { openArchiveIn, readIdentity }, { fromSnapshot }] = await Promise.all([
    import('../storage/open-storage.js'),
    import('../archive/open-archive.js'),
    import('../archive/archive.js'),
  ]);
  const storage = await openStorage(location, storageOptionsOf(settings), logger);
  try {
    const identity = await readIdentity(storage);
    return await use(identity && fromSnapshot(await openArchiveIn(storage, { logger })));
  } finally {
    await storage.close();
  }
}

/** What is committed stays so: a head that cannot be noted is told. @returns why it was not noted */
async function noted(file: HeadFile, location: string, guarded: Guarded): Promise<unknown> {
  try {
    await inArchive(location, guarded, async (archive) => archive && file.write(archive));
    return undefined;
  } catch (error) {
    guarded.logger.warn(
      {},
      `the newest commit is not noted in ${file.place} (--head-file); what was done stays done`,
    );
    return error;
  }
}

function withError(result: CommandResult, error: unknown): CommandResult {
  const { exitCode = EXIT.complete, errors = [] } = result;
  return {
    ...result,
    exitCode: exitCode === EXIT.complete ? EXIT.gaps : exitCode,
    errors: [...errors, error],
  };
}
