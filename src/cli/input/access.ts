/** Opens the archive of a command with the command's settings, and closes it afterwards. */
import { storageOptionsOf, type storageSettings } from '../../config/storage-settings.js';
import type { ParquetCodec } from '../../formats/parquet/parquet-codec.js';
import { openArchive, openArchives } from '../../library/operations.js';
import type { OpenArchive } from '../../library/open-archive.js';
import type { OpenArchives } from '../../library/open-archives.js';
import type { OpenOptions } from '../../library/call-context.js';
import type { Invocation } from '../command.js';
import { proxyFromEnvironment } from '../../base/http/proxy.js';
import { readSigner, timestampUrls } from './keys.js';

type Opening = Pick<Invocation<typeof storageSettings>, 'terminal' | 'logger'> & {
  readonly positionals: { readonly archive?: string };
  readonly settings: Invocation<typeof storageSettings>['settings'] & {
    readonly signingKey?: string | undefined;
    readonly startSigning?: boolean;
    readonly timestampUrl?: readonly string[] | undefined;
    readonly yes?: boolean;
    readonly parquetCodec?: ParquetCodec;
  };
};

/** @throws {UsageError} there is no archive, or a key cannot be read */
export async function withArchive<T>(
  opening: Opening,
  use: (archive: OpenArchive) => Promise<T>,
): Promise<T> {
  const options = await openOptionsOf(opening);
  await using archive = await openArchive(opening.positionals.archive ?? '', options);
  return await use(archive);
}

/** @throws {UsageError} two are the same archive */
export async function withArchives<T>(
  locations: readonly string[],
  opening: Opening,
  use: (archives: OpenArchives) => Promise<T>,
): Promise<T> {
  await using archives = await openArchives(locations, await openOptionsOf(opening));
  return await use(archives);
}

async function openOptionsOf({ settings, terminal, logger }: Opening): Promise<OpenOptions> {
  return {
    storage: storageOptionsOf(settings),
    signer: await readSigner(settings, { terminal, logger }),
    timestampUrls: timestampUrls(settings.timestampUrl),
    proxy: proxyFromEnvironment(terminal.environment),
    parquetCodec: settings.parquetCodec,
    logger,
    terms: terminal.terms,
    signal: terminal.interruption.signal,
  };
}
