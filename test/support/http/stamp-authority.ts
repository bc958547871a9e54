/** A time-stamp authority of a test: openssl behind HTTP. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CONFIG = (directory: string): string => `
[tsa]
default_tsa = own
[own]
serial = ${join(directory, 'serial')}
signer_cert = ${join(directory, 'tsa.pem')}
certs = ${join(directory, 'ca.pem')}
signer_key = ${join(directory, 'tsa.key')}
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
[req]
distinguished_name = name
[name]
[ca]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
[stamps]
basicConstraints = critical,CA:FALSE
extendedKeyUsage = critical,timeStamping
[other]
basicConstraints = critical,CA:FALSE
extendedKeyUsage = serverAuth
`;

/** Of the root, of the authority and of a web server: made once for all tests of a process. */
const CERTIFICATES = ['ca', 'tsa', 'web'].flatMap((name) => [`${name}.pem`, `${name}.key`]);
let making: Promise<string> | undefined;

async function makeCertificates(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'jobvault-certificates-'));
  process.once('exit', () => {
    rmSync(directory, { recursive: true, force: true });
  });
  const at = (name: string): string => join(directory, name);
  await writeFile(at('tsa.cnf'), CONFIG(directory));
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const config = ['-config', at('tsa.cnf')];
  await run('openssl', [
    ...['req', '-x509', ...key, ...config, '-extensions', 'ca', '-subj', '/CN=Test root'],
    ...['-days', '30', '-keyout', at('ca.key'), '-out', at('ca.pem')],
  ]);
  for (const [name, extensions] of [
    ['tsa', 'stamps'],
    ['web', 'other'],
  ] as const) {
    await run('openssl', [
      ...['req', ...key, ...config, '-subj', `/CN=Test ${name}`],
      ...['-keyout', at(`${name}.key`), '-out', at(`${name}.csr`)],
    ]);
    await run('openssl', [
      ...['x509', '-req', '-in', at(`${name}.csr`), '-CA', at('ca.pem'), '-CAkey', at('ca.key')],
      ...['-CAcreateserial', '-days', '30', '-extfile', at('tsa.cnf'), '-extensions', extensions],
      ...['-out', at(`${name}.pem`)],
    ]);
  }
  return directory;
}

export class StampAuthority implements AsyncDisposable {
  /** Bodies of the requests. */
  readonly requests: Buffer[] = [];
  /** Instead of an honest answer. */
  answer: ((response: ServerResponse, request: Buffer) => Promise<void> | void) | undefined;

  private constructor(
    readonly directory: string,
    readonly url: string,
    readonly close: () => Promise<void>,
  ) {}

  /** @param options.isAnother whether it has certificates of its own */
  static async start(
    directory: string,
    { isAnother = false }: { readonly isAnother?: boolean } = {},
  ): Promise<StampAuthority> {
    await mkdir(directory, { recursive: true });
    const at = (name: string): string => join(directory, name);
    await writeFile(at('tsa.cnf'), CONFIG(directory));
    await writeFile(at('serial'), '01\n');
    const made = await (isAnother ? makeCertificates() : (making ??= makeCertificates()));
    for (const name of CERTIFICATES) await copyFile(join(made, name), at(name));
    let own: StampAuthority | undefined = undefined as StampAuthority | undefined;
    const server = createServer((request, response) => {
      own?.handle(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    own = new StampAuthority(
      directory,
      `http://127.0.0.1:${port}/stamp?token=secret-of-url`,
      () => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(() => resolve()));
      },
    );
    return own;
  }

  get ca(): string {
    return join(this.directory, 'ca.pem');
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const query = await buffer(request);
    this.requests.push(query);
    if (this.answer) {
      await this.answer(response, query);
      return;
    }
    this.send(response, await this.reply(query));
  }

  send(response: ServerResponse, reply: Uint8Array): void {
    response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(reply);
  }

  /** The honest answer to a DER request. */
  async reply(query: Uint8Array): Promise<Buffer> {
    const [input, output] = [join(this.directory, 'query'), join(this.directory, 'reply')];
    await writeFile(input, query);
    await run('openssl', [
      ...['ts', '-reply', '-config', join(this.directory, 'tsa.cnf'), '-section', 'own'],
      ...['-queryfile', input, '-out', output],
    ]);
    return readFile(output);
  }

  /** An answer that is signed with a certificate of the same authority for web servers. @param content a `TSTInfo` */
  async replyOfWebServer(content: Uint8Array): Promise<Buffer> {
    const [input, output] = [join(this.directory, 'content'), join(this.directory, 'token')];
    await writeFile(input, content);
    await run('openssl', [
      ...['cms', '-sign', '-binary', '-nodetach', '-cades', '-outform', 'DER'],
      ...['-econtent_type', '1.2.840.113549.1.9.16.1.4', '-md', 'sha256'],
      ...['-signer', join(this.directory, 'web.pem'), '-inkey', join(this.directory, 'web.key')],
      ...['-in', input, '-out', output],
    ]);
    const body = Buffer.concat([Buffer.from('3003020100', 'hex'), await readFile(output)]);
    return Buffer.concat([Buffer.of(0x30, 0x82, body.length >> 8, body.length & 0xff), body]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}
