/** The S3 server of the tests: its address, buckets, and a gateway for one test file that can be broken. */
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListObjectVersionsCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { namedEndpoint } from '../../services/s3-availability.js';
import type { S3Server } from '../../services/s3-broker.js';

export { hasS3, hasS3ToBreak } from '../../services/s3-availability.js';

/** Started if need be. From then on the credentials are in this process's environment, as users have them. */
async function s3Server(): Promise<S3Server> {
  const server = (await ask('/server')) as S3Server;
  process.env['AWS_ACCESS_KEY_ID'] = server.key;
  process.env['AWS_SECRET_ACCESS_KEY'] = server.secret;
  process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  return server;
}

/** Another gateway to the same objects, for tests that kill it. */
export class BreakableGateway {
  readonly #port: number;

  private constructor(port: number) {
    this.#port = port;
  }

  static async start(): Promise<BreakableGateway> {
    return new BreakableGateway(Number(await ask('/gateway/start')));
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async kill(): Promise<void> {
    await ask(`/gateway/kill?port=${this.#port}`);
  }

  async restart(): Promise<void> {
    await ask(`/gateway/start?port=${this.#port}`);
  }
}

/** A separate bucket, with a client for the test. */
export class TestBucket implements AsyncDisposable {
  private constructor(
    readonly server: S3Server,
    readonly client: S3Client,
    readonly name: string,
  ) {}

  static async make(options: { readonly objectLock?: boolean } = {}): Promise<TestBucket> {
    const server = await s3Server();
    const { endpoint, key: accessKeyId, secret: secretAccessKey } = server;
    const client = new S3Client({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
    });
    const name = `jobvault-${randomBytes(8).toString('hex')}`;
    const { objectLock = false } = options;
    const request = { Bucket: name, ObjectLockEnabledForBucket: objectLock };
    await client.send(new CreateBucketCommand(request));
    return new TestBucket(server, client, name);
  }

  get endpoint(): string {
    return this.server.endpoint;
  }

  /** A server of our own ends with the tests, and takes its buckets along; from another all goes that is not retained. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { client, name: Bucket } = this;
    if (namedEndpoint === undefined) {
      client.destroy();
      return;
    }
    let KeyMarker: string | undefined;
    do {
      const page = await client.send(new ListObjectVersionsCommand({ Bucket, KeyMarker }));
      const all = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])];
      const Objects = all.map(({ Key, VersionId }) => ({ Key, VersionId }));
      if (Objects.length > 0) {
        await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
      }
      KeyMarker = page.IsTruncated ? page.NextKeyMarker : undefined;
    } while (KeyMarker !== undefined);
    await client.send(new DeleteBucketCommand({ Bucket })).catch(() => undefined);
    client.destroy();
  }
}

async function ask(path: string): Promise<unknown> {
  const answer = await fetch(inject('s3Broker') + path);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return JSON.parse(text);
}
