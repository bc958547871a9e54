/** Opens the archive of a command with the command's settings, and closes it afterwards. */
import type { forRequestSettings } from '../../config/search-settings.js';
import { storageOptionsOf, type storageSettings } from '../../config/storage-settings.js';
import type { ValuesOf } from '../../config/resolve-settings.js';
import type { ParquetCodec } from '../../formats/parquet/parquet-codec.js';
import { openArchive, openArchives } from '../../library/operations.js';
import type { ForRequest, OpenArchive } from '../../library/open-archive.js';
import type { OpenArchives } from '../../library/open-archives.js';
import type { OpenOptions } from '../../library/call-context.js';
import type { Invocation } from '../command.js';
import { X509Certificate } from 'node:crypto';
import {
  type CommitSigner,
  ed25519Signer,
  ed25519Verifier,
  type CommitVerifier,
} from '../../archive/log/signing.js';
import { proxyFromEnvironment } from '../../base/http/proxy.js';
import { UsageError } from '../../base/error.js';
import { canAsk, confirm } from './confirm.js';
import { readGiven } from './given-file.js';
import { secretsInAddress } from '../../base/text/address.js';
import { checkRedisUrl } from '../../fleet/fleet-errors.js';
import { userInfo } from 'node:os';
import { stat } from 'node:fs/promises';
import type { Logger } from '../../base/logger.js';
import type { Terminal } from '../output/terminal.js';

type Opening = Pick<Invocation<typeof storageSettings>, 'positionals' | 'terminal' | 'logger'> & {
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
  await using archive = await openArchive(opening.positionals['archive'] ?? '', options);
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

/** Reads keys that sign commits, keys and certificates that verify signatures, and addresses of time-stamp authorities. */

interface SigningSettings {
  readonly signingKey?: string | undefined;
  readonly startSigning?: boolean;
  readonly changeSigningKey?: boolean;
  readonly yes?: boolean;
}

const BINDS =
  'This archive has not been signed so far. From the first signature on, every run that writes to it (exports, workers, holds) needs this key in --signing-key, and there is no way back. Sign it?';

/**
 * Undefined where no file is named. A log that is not signed yet is begun with `--start-signing`, or after a yes at the
 * terminal; `--yes` is not that yes.
 *
 * @param around runs the question: a progress display must not write over it
 * @throws {UsageError} it has no Ed25519 private key, or a flag about the key is given without one
 */
export async function readSigner(
  { signingKey: file, startSigning, changeSigningKey, yes }: SigningSettings,
  { terminal, logger }: Pick<Invocation, 'terminal' | 'logger'>,
  around: (ask: () => Promise<boolean>) => Promise<boolean> = (ask) => ask(),
): Promise<CommitSigner | undefined> {
  if (file === undefined) {
    if (changeSigningKey) {
      throw new UsageError('--change-signing-key needs the new key; give --signing-key');
    }
    if (startSigning) throw new UsageError('--start-signing needs the key; give --signing-key');
    return undefined;
  }
  const pem = await readGiven('--signing-key', file);
  const open = await keyFileWarning(file, 'signing key');
  if (open) logger.warn({}, `${open.message}; ${open.fix}`);
  let answer: Promise<boolean> | undefined;
  const ask = (): Promise<boolean> => (answer ??= around(() => confirm(BINDS, terminal)));
  return {
    ...ed25519Signer(pem.toString(), `--signing-key ${file}`),
    mayReplaceKey: changeSigningKey ?? false,
    mayStart: startSigning === true || (yes !== true && canAsk(terminal) ? ask : false),
  };
}

/** All certificates of the files. @throws {UsageError} a file has none */
export async function readCertificates(files: readonly string[]): Promise<X509Certificate[]> {
  const found = files.map(async (file) => {
    const pem = (await readGiven('--timestamp-ca', file)).toString();
    const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    try {
      if (blocks.length > 0) return blocks.map((block) => new X509Certificate(block));
    } catch {
      // told below
    }
    throw new UsageError(
      `--timestamp-ca ${file} has no certificate; allowed is a PEM file with certificates`,
    );
  });
  return (await Promise.all(found)).flat();
}

/** @throws {UsageError} an address is not one of HTTP */
export function timestampUrls(given: readonly string[] = []): URL[] {
  return given.map((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url && /^https?:$/.test(url.protocol)) return url;
    throw new UsageError('--timestamp-url must be an http:// or https:// URL');
  });
}

/** @throws {UsageError} a file has no Ed25519 public key */
export async function readVerifiers(files: readonly string[]): Promise<CommitVerifier[]> {
  return Promise.all(
    files.map(async (file) => {
      const pem = await readGiven('--public-key', file);
      return ed25519Verifier(pem.toString(), `--public-key ${file}`);
    }),
  );
}

/** Reads the URL of the queue, and keeps its password out of every output. */

/** @throws {UsageError} it is not a Redis URL */
export function redisOf(redis: string, secrets: string[]): string {
  secrets.push(...secretsInAddress(redis));
  checkRedisUrl(redis);
  return redis;
}

/** Says who gives a command. */

/** @throws {UsageError} the user has no name, as in some containers */
export function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    throw new UsageError('this process has no login name; give --by');
  }
}

/** Who stands in the log for what a command records. */
export interface RecordedPerson {
  readonly name: string;
  /** To be called once the record stands: the log is evidence, so a login name that several people share is told. */
  readonly recorded: (logger: Pick<Logger, 'warn'>) => void;
}

/** Whom `--by` names, or who is logged in. @throws as `loginName` */
export function recordedPerson(by: string | undefined, login = loginName): RecordedPerson {
  if (by !== undefined) return { name: by, recorded: () => undefined };
  const name = login();
  return {
    name,
    recorded: (logger) => {
      if (name !== 'root') return;
      logger.warn({}, 'recorded as done by root, which names no person; --by says who it was');
    },
  };
}

/** The request that something is made for, and who makes it; undefined of none. @throws as `loginName` */
export function forRequestOf({ request: name, by }: ValuesOf<typeof forRequestSettings>): Pick<
  RecordedPerson,
  'recorded'
> & {
  readonly forRequest: ForRequest | undefined;
} {
  if (name === undefined) return { forRequest: undefined, recorded: () => undefined };
  const person = recordedPerson(by);
  return { forRequest: { name, by: person.name }, recorded: person.recorded };
}

/** Reads the API key from a variable or a file; never from a flag, which `ps` would show. */

interface KeyContext extends Pick<Invocation, 'terminal' | 'secrets'> {
  /** Hears if others may read the file. */
  readonly logger?: Logger | undefined;
}

/** Adds the key to the secrets. @throws {UsageError} there is no key, or the file cannot be read */
export async function readApiKey(file: string | undefined, context: KeyContext): Promise<string> {
  const key = await keyIn(file, context.terminal);
  context.secrets.push(key);
  const { checkApiKey } = await import('../../service/create-service-client.js');
  checkApiKey(key, ` in ${file ?? 'JOBVAULT_API_KEY'}`);
  const warning = context.logger && (await keyFileWarning(file));
  if (warning) context.logger.warn({}, `${warning.message}; ${warning.fix}`);
  return key;
}

async function keyIn(file: string | undefined, { environment }: Terminal): Promise<string> {
  if (file === undefined) {
    const key = environment['JOBVAULT_API_KEY'];
    if (key) return key;
    throw new UsageError('there is no API key; set JOBVAULT_API_KEY or give --api-key-file');
  }
  const key = (await readGiven('--api-key-file', file)).toString().trim();
  if (key === '') throw new UsageError(`--api-key-file ${file} is empty; put the API key into it`);
  return key;
}

const FOR_OTHERS = 0o077;

/** Of a file of this user that others may read or change, as ssh tells of its keys. */
export async function keyFileWarning(
  file: string | undefined,
  key = 'API key',
): Promise<{ readonly message: string; readonly fix: string } | undefined> {
  if (file === undefined || process.platform === 'win32') return undefined;
  const { uid, mode } = await stat(file);
  if (uid !== process.getuid?.() || (mode & FOR_OTHERS) === 0) return undefined;
  const permissions = (mode & 0o777).toString(8).padStart(4, '0');
  return {
    message: `the ${key} in ${file} may be read by other users of this machine (mode ${permissions})`,
    fix: `chmod 600 ${file}`,
  };
}
