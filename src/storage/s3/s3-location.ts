/** Parses `s3://bucket/prefix`. */
import { UsageError } from '../../base/error.js';
import { isObjectPath } from '../object-path.js';

export interface S3Location {
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
}

/** Valid names in any S3-compatible store; AWS is stricter and refuses others itself. Access points are ARNs. */
const BUCKET = /^(?:[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]|arn:[\w:-]+)$/;

/** @throws {UsageError} */
export function parseS3Location(location: string): S3Location {
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]*)\/?(.*)$/is.exec(location) ?? [];
  const prefix = path.replace(/\/$/, '');
  const isUsable = prefix === '' || (isObjectPath(prefix) && !/[?#\p{Cc}]/u.test(prefix));
  if (!BUCKET.test(bucket) || !isUsable) {
    throw new UsageError(
      `${JSON.stringify(location)} cannot hold an archive; allowed is s3://bucket or s3://bucket/prefix, without empty parts, .., ?, # or backslashes`,
    );
  }
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}
