import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemProcesses } from '../../../../src/base/process-identity.js';
import { systemClock } from '../../../../src/base/runtime.js';
import { MultipartUpload } from '../../../../src/storage/s3/s3-multipart.js';
import type { S3Options } from '../../../../src/storage/s3/s3-options.js';
import { PathTakenError } from '../../../../src/storage/storage-errors.js';
import { sweepUploads, UploadJournal } from '../../../../src/storage/s3/s3-uploads.js';
import { SpoolDirectory } from '../../../../src/storage/s3/s3-body.js';
import { pattern } from '../../../conformance/storage-bytes.js';
import { cutOff, S3InMemory, type Answer } from '../../../support/store/s3-in-memory.js';
import { fault } from '../../../support/base/fault.js';

const BYTES = pattern(9_000_000);
const KEY = 'a/tables/large';

let store: S3InMemory;
let temporary: string;
let journal: UploadJournal;

beforeEach(async () => {
  store = new S3InMemory();
  temporary = await mkdtemp(join(tmpdir(), 'jobvault-multipart-'));
  journal = new UploadJournal(
    new SpoolDirectory(systemProcesses, temporary),
    systemProcesses,
    'here',
  );
});
afterEach(() => rm(temporary, { recursive: true }));

async function begun(options?: S3Options): Promise<MultipartUpload> {
  const upload = new MultipartUpload(store.bucket(options), journal, 'tables/large', 0);
  await upload.write(BYTES);
  return upload;
}

/** Changes the answers to one operation. */
function answering(operation: string, change: (answer: Answer) => Answer): void {
  store.onAnswer = (asked, answer) => (asked === operation ? change(answer) : answer);
}

/** The first answer to an operation is lost. */
function losing(operation: string, then: (answer: Answer) => Answer = (answer) => answer): void {
  let count = 0;
  answering(operation, (answer) => (count++ === 0 ? cutOff() : then(answer)));
}

function withChecksum(checksum: string | undefined): void {
  const object = store.objects.get(KEY);
  if (object) store.objects.set(KEY, { ...object, checksum });
}

const OTHER = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=-2';

describe('s3 multipart', () => {
  it('an object that was uploaded in parts is whole in one request more than it has parts, where the store tells its checksum', async () => {
    await (await begun()).complete();
    expect(store.objects.get(KEY)?.bytes.equals(BYTES)).toBe(true);
    expect(store.seen.toSorted()).toEqual([
      'CompleteMultipartUpload',
      'CreateMultipartUpload',
      'UploadPart',
      'UploadPart',
    ]);
  });

  describe('an object that must be the first, uploaded in parts', () => {
    const first = async () => (await begun()).complete('if-absent');
    const other = {
      bytes: Buffer.from('other'),
      etag: '"x"',
      putId: undefined,
      checksum: undefined,
    };

    it('an object that must be the first, uploaded in parts is put where there is none, and stays where it is put', async () => {
      await first();
      expect(store.objects.get(KEY)?.bytes.equals(BYTES)).toBe(true);
      expect(store.requests.at(-1)?.headers['if-none-match']).toBe('*');
    });

    it('an object that must be the first, uploaded in parts replaces none that stands there', async () => {
      store.objects.set(KEY, other);
      const upload = await begun();
      await expect(upload.complete('if-absent')).rejects.toThrow(PathTakenError);
      await upload.abort();
      expect([store.objects.get(KEY), store.uploads]).toEqual([other, []]);
    });

    it(
      'an object that must be the first, uploaded in parts replaces none that comes while it is finished',
      fault('F-121'),
      async () => {
        answering('HeadObject', (answer) => {
          if (answer.status === 404) store.objects.set(KEY, other);
          return answer;
        });
        await expect(first()).rejects.toThrow(PathTakenError);
        expect(store.objects.get(KEY)).toBe(other);
      },
    );

    it('an object that must be the first, uploaded in parts replaces none of the same length that comes while it is finished', async () => {
      const alike = { ...other, bytes: Buffer.alloc(BYTES.length), checksum: OTHER };
      answering('HeadObject', (answer) => {
        if (answer.status === 404) store.objects.set(KEY, alike);
        return answer;
      });
      await expect(first()).rejects.toThrow(PathTakenError);
      expect(store.objects.get(KEY)).toBe(alike);
    });

    it('an object that must be the first, uploaded in parts is put, and replaces none, where it is less than one part', async () => {
      const small = async (text: string) => {
        const upload = new MultipartUpload(store.bucket(), journal, 'tables/large', 0);
        await upload.write(Buffer.from(text));
        await upload.complete('if-absent');
      };
      await small('one');
      await expect(small('two')).rejects.toThrow(PathTakenError);
      expect(store.objects.get(KEY)?.bytes.toString()).toBe('one');
    });

    it('an object that must be the first, uploaded in parts is put where the answer to it was lost, and the store refuses it the second time', async () => {
      losing('CompleteMultipartUpload', () => ({
        status: 412,
        body: '<Error><Code>PreconditionFailed</Code></Error>',
      }));
      await first();
      expect(store.objects.get(KEY)?.bytes.equals(BYTES)).toBe(true);
    });

    it('an object that must be the first, uploaded in parts is put where the store refuses the condition of an upload, which it does not know', async () => {
      let refused = 0;
      store.onRequest = (asked, { headers }) => {
        if (asked !== 'CompleteMultipartUpload' || !headers['if-none-match']) return undefined;
        refused++;
        return { status: 501, body: '<Error><Code>NotImplemented</Code></Error>' };
      };
      await first();
      expect(store.objects.get(KEY)?.bytes.equals(BYTES)).toBe(true);
      expect(refused).toBe(1);
    });
  });

  it('an object that was uploaded in parts is refused where the store tells another checksum', async () => {
    const upload = await begun();
    answering('CompleteMultipartUpload', (answer) => ({
      ...answer,
      body: `<R><ETag>"x"</ETag><ChecksumSHA256>${OTHER}</ChecksumSHA256></R>`,
    }));
    await expect(upload.complete()).rejects.toThrow(`the store has the checksum ${OTHER} instead`);
  });

  describe('s3 multipart', () => {
    const silent = (answer: Answer): Answer => ({
      ...answer,
      body: String(answer.body).replace(/<ChecksumSHA256>.*<\/ChecksumSHA256>/, ''),
    });

    it('an object that was uploaded in parts where the answer to its completion tells no checksum is refused where the object has another one', async () => {
      const upload = await begun();
      answering('CompleteMultipartUpload', (answer) => {
        withChecksum(OTHER);
        return silent(answer);
      });
      await expect(upload.complete()).rejects.toThrow(`the checksum ${OTHER} instead of`);
    });

    it.each([{}, { checksum: 'crc32' }, { checksum: 'none' }] as const)(
      'an object that was uploaded in parts where the answer to its completion tells no checksum is whole where the object has its length and ETag, and is refused where it has not: %j',
      async (options) => {
        answering('CompleteMultipartUpload', (answer) => {
          withChecksum(undefined);
          return silent(answer);
        });
        await (await begun(options)).complete();

        const cut = await begun(options);
        answering('CompleteMultipartUpload', (answer) => {
          const object = store.objects.get(KEY);
          if (object) {
            const bytes = object.bytes.subarray(1);
            store.objects.set(KEY, { ...object, bytes, checksum: undefined });
          }
          return silent(answer);
        });
        await expect(cut.complete()).rejects.toThrow('has 8999999 bytes instead of 9000000');

        const other = await begun(options);
        answering('CompleteMultipartUpload', (answer) => {
          const object = store.objects.get(KEY);
          if (object) store.objects.set(KEY, { ...object, etag: '"y"', checksum: undefined });
          return silent(answer);
        });
        await expect(other.complete()).rejects.toThrow('another object');
      },
    );
  });

  it('an object that was uploaded in parts where the answer to its completion was lost is whole where the object has its checksum', async () => {
    const upload = await begun();
    losing('CompleteMultipartUpload');
    await upload.complete();
    expect(store.seen.filter((asked) => asked === 'HeadObject')).toHaveLength(1);
  });

  it('an object that was uploaded in parts where the answer to its completion was lost is whole where the object has no checksum, and its ETag', async () => {
    const upload = await begun();
    losing('CompleteMultipartUpload', (answer) => {
      withChecksum(undefined);
      return answer;
    });
    await upload.complete();
  });

  it.each([
    ['another checksum', { checksum: OTHER }],
    ['another length', { bytes: BYTES.subarray(1) }],
    ['no checksum, and another ETag', { checksum: undefined, etag: '"z"' }],
  ])(
    'an object that was uploaded in parts where the answer to its completion was lost is refused where the object has %s',
    fault('F-88'),
    async (_what, change) => {
      const upload = await begun();
      losing('CompleteMultipartUpload', (answer) => {
        const object = store.objects.get(KEY);
        if (object) store.objects.set(KEY, { ...object, ...change });
        return answer;
      });
      await expect(upload.complete()).rejects.toThrow('cannot write tables/large');
    },
  );

  it('an object that was uploaded in parts where the answer to its completion was lost is refused where there is no object', async () => {
    const upload = await begun();
    losing('CompleteMultipartUpload', (answer) => {
      store.objects.clear();
      return answer;
    });
    await expect(upload.complete()).rejects.toThrow('cannot write tables/large');
  });
});

it(
  'an upload whose creation was answered into the void does not stay where the upload that was created next is completed',
  fault('F-88'),
  async () => {
    losing('CreateMultipartUpload');
    const upload = await begun();
    expect(store.uploads).toHaveLength(2);
    await upload.complete();
    expect(store.uploads).toEqual([]);
  },
);

it('an upload whose creation was answered into the void does not stay where the upload that was created next is given up', async () => {
  losing('CreateMultipartUpload');
  await (await begun()).abort();
  expect(store.uploads).toEqual([]);
});

it('an upload whose creation was answered into the void is not looked for where every answer came', async () => {
  await (await begun()).complete();
  expect(store.seen).not.toContain('ListMultipartUploads');
});

it.each([
  ['has a part', 0, true, KEY],
  ['was begun earlier', -3_600_000, false, KEY],
  ['was begun later', 1, false, KEY],
  ['is at another path', 0, false, `${KEY}-1`],
])(
  'an upload whose creation was answered into the void is told from one of another run that %s',
  async (_what, offsetMs, hasPart, key) => {
    losing('CreateMultipartUpload');
    const upload = await begun();
    const other = store.begin(key, store.nowMs + offsetMs);
    if (hasPart) other.parts.set(1, Buffer.from('x'));
    await upload.complete();
    expect(store.uploads).toEqual([other]);
  },
);

it('an upload whose creation was answered into the void is told from an earlier one however long the machine has been up', async () => {
  const monotonic = systemClock.monotonic.bind(systemClock);
  const clock = vi.spyOn(systemClock, 'monotonic').mockImplementation(() => monotonic() + 1e9);
  losing('CreateMultipartUpload');
  const upload = await begun();
  clock.mockRestore();
  const other = store.begin(KEY, store.nowMs - 3_600_000);
  await upload.complete();
  expect(store.uploads).toEqual([other]);
});

it('an upload whose creation was answered into the void waits for the sweep where it cannot be told from one of another run', async () => {
  losing('CreateMultipartUpload');
  const upload = await begun();
  store.begin(KEY);
  await upload.complete();
  expect(store.uploads).toHaveLength(2);
  store.nowMs += 24 * 3_600_000;
  expect(await sweepUploads(store.bucket(), journal)).toBe(0);
  store.nowMs += 1000;
  expect(await sweepUploads(store.bucket(), journal)).toBe(2);
  expect(store.uploads).toEqual([]);
});

it('an upload whose creation was answered into the void harms nothing where uploads may not be listed', async () => {
  losing('CreateMultipartUpload');
  const upload = await begun();
  answering('ListMultipartUploads', () => ({ status: 403 }));
  await upload.complete();
  expect(store.objects.get(KEY)?.bytes.equals(BYTES)).toBe(true);
});

it('An upload of another program in the same bucket is not swept, however old it is', async () => {
  store.begin('a/elsewhere/x', 0);
  store.begin('b/tables/x', 0);
  expect(await sweepUploads(store.bucket(), journal)).toBe(0);
  expect(store.uploads).toHaveLength(2);
});
