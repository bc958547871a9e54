/**
 * Rejects false answers with status 200: a proxy's page, an error in the body, another object's checksum, a list without
 * its next page; and any that a cache has given from its memory, also "not found". Without this an empty list would be
 * accepted. The check runs inside the retries, so that the request is sent again.
 */
import type { S3Client } from '@aws-sdk/client-s3';
import { staleBecause } from '../../base/http/stale-answer.js';
import { redactText } from '../../base/text/redact.js';

type Fields = Readonly<Record<string, unknown>>;

/** What the answer to each command must have. */
const PROOF: Readonly<Record<string, string>> = {
  PutObjectCommand: 'ETag',
  GetObjectCommand: 'ETag',
  HeadObjectCommand: 'ETag',
  CopyObjectCommand: 'CopyObjectResult',
  ListObjectsV2Command: 'Name',
  ListObjectVersionsCommand: 'Name',
};

/** Where each list was asked to go on, and where it says that it does. */
const MARKS: Readonly<Record<string, readonly (readonly [given: string, next: string])[]>> = {
  ListObjectsV2Command: [['ContinuationToken', 'NextContinuationToken']],
  ListObjectVersionsCommand: [
    ['KeyMarker', 'NextKeyMarker'],
    ['VersionIdMarker', 'NextVersionIdMarker'],
  ],
};

export function checkAnswers(client: S3Client): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args).catch((error: unknown) => {
        assertFresh((error as { readonly $response?: RawAnswer } | null)?.$response);
        throw error;
      });
      const response = result.response as RawAnswer;
      assertFresh(response);
      const command = String(context['commandName']);
      assertDeleted(command, response);
      assertAnswer(command, args.input as unknown as Fields, result.output as unknown as Fields);
      return result;
    },
    { step: 'finalizeRequest', priority: 'low', name: 'jobvaultCheckAnswers' },
  );
}

interface RawAnswer {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

function assertFresh({ headers = {} }: RawAnswer = {}): void {
  const stale = staleBecause((name) => headers[name] ?? null, redactText);
  if (stale !== undefined) throw momentary('AnsweredByCache', `a cache answered (${stale})`);
}

/** A page of a proxy has a body, and a deletion has none. */
function assertDeleted(command: string, { statusCode, headers = {} }: RawAnswer): void {
  if (command !== 'DeleteObjectCommand' || statusCode === 204) return;
  if (headers['content-length'] === '0') return;
  throw momentary('InternalError', 'the response to DeleteObjectCommand is that of something else');
}

function assertAnswer(command: string, input: Fields, output: Fields): void {
  const proof = PROOF[command];
  if (proof !== undefined && output[proof] === undefined) {
    throw momentary('InternalError', `the response to ${command} has no ${proof}`);
  }
  assertGoesOn(command, input, output);
  assertCounted(command, output);
  if (command !== 'PutObjectCommand') return;
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

/** An object that a list leaves out is not cleaned up, not erased, and not there for whoever counts. */
function assertCounted(command: string, output: Fields): void {
  const { KeyCount: said, Contents, CommonPrefixes } = output;
  if (command !== 'ListObjectsV2Command' || typeof said !== 'number') return;
  const lists = [Contents, CommonPrefixes].filter((list) => Array.isArray(list));
  const count = lists.reduce((sum, list) => sum + list.length, 0);
  if (count >= said) return;
  const text = `the response to ${command} says that it has ${said} objects, and has ${count}`;
  throw momentary('InternalError', text);
}

function momentary(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
