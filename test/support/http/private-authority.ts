/** A certificate authority of our own and a server certificate for 127.0.0.1 and localhost from it, made afresh with openssl. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface PrivateAuthority extends AsyncDisposable {
  /** PEM file with the authority's certificate, as NODE_EXTRA_CA_CERTS wants it. */
  readonly caFile: string;
  readonly ca: string;
  readonly key: string;
  readonly cert: string;
}

export async function privateAuthority(): Promise<PrivateAuthority> {
  const folder = await mkdtemp(join(tmpdir(), 'jobvault-ca-'));
  const openssl = async (...args: string[]): Promise<void> => {
    await promisify(execFile)('openssl', args, { cwd: folder });
  };
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await openssl(
    ...['req', '-x509', ...ec, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2'],
    ...['-subj', '/CN=jobvault test authority'],
  );
  await openssl('req', ...ec, '-keyout', 'key.pem', '-out', 'server.csr', '-subj', '/CN=127.0.0.1');
  await writeFile(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost');
  await openssl(
    ...['x509', '-req', '-in', 'server.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-days', '2'],
    ...['-CAcreateserial', '-extfile', 'names', '-out', 'cert.pem'],
  );
  const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
  return {
    caFile: join(folder, 'ca.pem'),
    ca: await read('ca.pem'),
    key: await read('key.pem'),
    cert: await read('cert.pem'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
