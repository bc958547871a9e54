/** Opens the archive of a command with the command's settings, and closes it afterwards. */
import type { storageSettings } from '../../config/storage-settings.js';
import type { ParquetCodec } from '../../formats/parquet/parquet-codec.js';
import { openArchive } from '../../library/operations.js';
import type { OpenArchive } from '../../library/open-archive.js';
import type { Invocation } from '../command.js';
import { readSigner } from './key-file.js';
import { storageOptionsOf } from './storage-options.js';

type Opening = Pick<
  Invocation<typeof storageSettings>,
  'positionals' | 'terminal' | 'logger' | 'tracer'
> & {
  readonly settings: Invocation<typeof storageSettings>['settings'] & {
    readonly signingKey?: string | undefined;
    readonly parquetCodec?: ParquetCodec;
  };
};

/** @throws {UsageError} there is no archive, or a key cannot be read */
export async function withArchive<T>(
  { positionals, settings, terminal, logger, tracer }: Opening,
  use: (archive: OpenArchive) => Promise<T>,
): Promise<T> {
  await using archive = await openArchive(positionals['archive'] ?? '', {
    storage: storageOptionsOf(settings),
    signer: await readSigner(settings.signingKey),
    parquetCodec: settings.parquetCodec,
    logger,
    tracer,
    signal: terminal.interruption.signal,
  });
  return await use(archive);
}
