/** S3's error documents. */
export function s3Error(code: string, message: string, extra = ''): string {
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<Error><Code>${code}</Code><Message>${message}</Message>${extra}` +
    '<RequestId>0A49CE4060975EAC</RequestId><HostId>emulator</HostId></Error>'
  );
}

export const ACCESS_DENIED = s3Error('AccessDenied', 'Access Denied');
export const NO_SUCH_KEY = s3Error('NoSuchKey', 'The specified key does not exist.');
export const WRONG_SIGNATURE = s3Error(
  'SignatureDoesNotMatch',
  'The request signature we calculated does not match the signature you provided.',
);

export function requestHasExpired(serverTimeMs: number): string {
  const serverTime = new Date(serverTimeMs).toISOString();
  return s3Error('AccessDenied', 'Request has expired', `<ServerTime>${serverTime}</ServerTime>`);
}
