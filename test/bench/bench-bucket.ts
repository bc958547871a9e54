/** A bucket of the S3 server of the tests, and what a program needs to reach it. */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { copyFileSync, mkdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createS3Storage } from '../../src/storage/s3/s3-storage.js';
import { startBroker, type Broker, type S3Server } from '../services/s3-broker.js';

export class BenchBucket implements AsyncDisposable {
  readonly #broker: Broker;

  private constructor(
    broker: Broker,
    readonly server: S3Server,
    readonly name: string,
  ) {
    this.#broker = broker;
  }

  static async start(name = 'bench'): Promise<BenchBucket> {
    process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
    const broker = await startServer();
    const server = (await (await fetch(`${broker.url}/server`)).json()) as S3Server;
    const { endpoint, key: accessKeyId, secret: secretAccessKey } = server;
    const credentials = { accessKeyId, secretAccessKey };
    const client = new S3Client({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials,
    });
    await client.send(new CreateBucketCommand({ Bucket: name }));
    client.destroy();
    return new BenchBucket(broker, server, name);
  }

  get environment(): NodeJS.ProcessEnv {
    const { key, secret } = this.server;
    return {
      AWS_ACCESS_KEY_ID: key,
      AWS_SECRET_ACCESS_KEY: secret,
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    };
  }

  placeOf(prefix: string): string {
    return `s3://${this.name}/${prefix}`;
  }

  /** Flags of a command. @param endpoint default: that of the server */
  accessTo(endpoint = this.server.endpoint): readonly string[] {
    return ['--s3-endpoint', endpoint, '--s3-force-path-style'];
  }

  /** Puts every file of a directory below the prefix. */
  async upload(directory: string, prefix: string): Promise<void> {
    Object.assign(process.env, this.environment);
    const { endpoint } = this.server;
    const location = this.placeOf(prefix);
    const storage = createS3Storage({ location, endpoint, forcePathStyle: true });
    try {
      for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const file = join(entry.parentPath, entry.name);
        await storage.put(relative(directory, file), await readFile(file));
      }
    } finally {
      await storage.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#broker.close();
  }
}

/** The script is no module, so the compiler has not brought it along. */
async function startServer(): Promise<Broker> {
  const here = fileURLToPath(new URL('../services/', import.meta.url));
  const source = fileURLToPath(new URL('../../../../test/services/ceph.sh', import.meta.url));
  mkdirSync(here, { recursive: true });
  copyFileSync(source, join(here, 'ceph.sh'));
  return startBroker();
}
