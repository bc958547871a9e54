/** Reads keys that sign commits, keys and certificates that verify signatures, and addresses of time-stamp authorities. */
import type { Invocation } from '../command.js';
import { X509Certificate } from 'node:crypto';
import { type CommitSigner, ed25519Signer } from '../../archive/log/signing.js';
import { ed25519Verifier, type CommitVerifier } from '../../archive/log/commit-verifier.js';
import { UsageError } from '../../base/error.js';
import { confirm } from './confirm.js';
import { canAsk } from './questions.js';
import { readGiven } from './given-file.js';
import { keyFileWarning } from './api-key.js';

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
