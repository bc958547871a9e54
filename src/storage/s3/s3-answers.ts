/**
 * Rejects false answers with status 200: a proxy's page, an error in the body, another object's checksum, a list without
 * its next page. Without
 * this an empty list would be accepted. The check runs inside the retries, so that the request is sent again.
 */
import type { S3Client } from '@aws-sdk/client-s3';

type Fields = Readonly<Record<string, unknown>>;

/** What the answer to each command must have. */
const PROOF: Readonly<Record<string, string>> = {
  PutObjectCommand: 'ETag',
  GetObjectCommand: 'ETag',
  HeadObjectCommand: 'ETag',
  CopyObjectCommand: 'CopyObjectResult',
  UploadPartCommand: 'ETag',
  CompleteMultipartUploadCommand: 'ETag',
  CreateMultipartUploadCommand: 'UploadId',
  ListObjectsV2Command: 'Name',
  ListMultipartUploadsCommand: 'Bucket',
  ListPartsCommand: 'UploadId',
  ListObjectVersionsCommand: 'Name',
};

/** Of each list: where it was asked to go on, and where it says that it does. */
const MARKS: Readonly<Record<string, readonly (readonly [given: string, next: string])[]>> = {
  ListObjectsV2Command: [['ContinuationToken', 'NextContinuationToken']],
  ListMultipartUploadsCommand: [
    ['KeyMarker', 'NextKeyMarker'],
    ['UploadIdMarker', 'NextUploadIdMarker'],
  ],
  ListObjectVersionsCommand: [
    ['KeyMarker', 'NextKeyMarker'],
    ['VersionIdMarker', 'NextVersionIdMarker'],
  ],
};

/** @param onAnswer called with the store's time for each answer that has it, in milliseconds since 1970 UTC */
export function checkAnswers(client: S3Client, onAnswer: (presentMs: number) => void): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      const { headers = {} } = result.response as { headers?: Record<string, string> };
      const presentMs = Date.parse(headers['date'] ?? '');
      if (!Number.isNaN(presentMs)) onAnswer(presentMs);
      assertAnswer(
        String(context['commandName']),
        args.input as unknown as Fields,
        result.output as unknown as Fields,
      );
      return result;
    },
    { step: 'finalizeRequest', priority: 'low', name: 'jobvaultCheckAnswers' },
  );
}

function assertAnswer(command: string, input: Fields, output: Fields): void {
  const proof = PROOF[command];
  if (proof !== undefined && output[proof] === undefined) {
    throw momentary('InternalError', `the response to ${command} has no ${proof}`);
  }
  assertGoesOn(command, input, output);
  if (command !== 'PutObjectCommand' && command !== 'UploadPartCommand') return;
  const { ChecksumSHA256: sent } = input;
  const { ChecksumSHA256: stored } = output;
  if (sent !== undefined && stored !== undefined && sent !== stored) {
    throw momentary('BadDigest', 'the SHA-256 in the store differs from that of the upload');
  }
}

/** A list that is cut off and tells no new place to go on would lose its rest, or begin again for ever. */
function assertGoesOn(command: string, input: Fields, output: Fields): void {
  const marks = MARKS[command];
  if (marks === undefined || output['IsTruncated'] !== true) return;
  const isFurther = marks.some(
    ([given, next]) => output[next] !== undefined && output[next] !== input[given],
  );
  if (isFurther) return;
  throw momentary('InternalError', `the response to ${command} is cut off and tells no next page`);
}

function momentary(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
