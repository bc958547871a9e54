/** Presigned URLs: one complete query of every presigning scheme. */

/** By scheme; `§` is replaced by a value that changes with every read. */
export const PRESIGNED: Readonly<Record<string, string>> = {
  'Amazon S3, version 4':
    'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AK%2F2024%2Feu%2Fs3%2Faws4_request&X-Amz-Date=20241018T10461§Z&X-Amz-Expires=600&X-Amz-SignedHeaders=host&X-Amz-Signature=ab§',
  'Amazon S3, version 4, with a session token':
    'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Content-Sha256=UNSIGNED-PAYLOAD&X-Amz-Credential=AK&X-Amz-Date=20241018T10461§Z&X-Amz-Expires=600&X-Amz-Security-Token=Fwo%2B§&X-Amz-SignedHeaders=host%3Bx-id&X-Amz-Signature=ab§',
  'Amazon S3, version 2': 'AWSAccessKeyId=A&Expires=17290000§&Signature=x%2By§%3D',
  'CloudFront, canned policy': 'Expires=17290000§&Signature=s-_~§__&Key-Pair-Id=K2J',
  'CloudFront, custom policy': 'Policy=eyJ§_&Signature=s§~&Key-Pair-Id=K2J',
  'Google, version 4':
    'X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=a%40b&X-Goog-Date=20241018T10461§Z&X-Goog-Expires=600&X-Goog-SignedHeaders=host&X-Goog-Signature=ab§',
  'Google, version 2': 'GoogleAccessId=a@b.iam.example.com&Expires=17290000§&Signature=s§',
  'Azure, service':
    'sv=2022-11-02&st=2024-10-18T10:46:1§Z&se=2024-10-18T11:46:1§Z&sr=b&sp=r&sip=1.2.3.4&spr=https&sig=x§%3D',
  'Azure, user delegation':
    'sp=r&se=2024-10-18T11%3A46%3A1§Z&skoid=o&sktid=t&skt=2024-10-18&ske=2024-10-19&sks=b&skv=2022-11-02&sv=2022-11-02&sr=b&sig=x§%3D',
  'Azure, stored policy': 'sv=2022-11-02&si=readers&sr=c&sig=x§',
  'Azure, account': 'sv=2022-11-02&ss=b&srt=o&sp=r&se=2024-10-18T11:46:1§Z&sig=x§',
  'Alibaba Cloud OSS': 'OSSAccessKeyId=a&Expires=17290000§&Signature=s§&security-token=t§',
  'Alibaba Cloud OSS, version 4':
    'x-oss-signature-version=OSS4-HMAC-SHA256&x-oss-credential=c&x-oss-date=20241018T10461§Z&x-oss-expires=600&x-oss-signature=s§',
  'Tencent COS':
    'q-sign-algorithm=sha1&q-ak=a&q-sign-time=172900000§;1729003600&q-key-time=1729000000;1729003600&q-header-list=host&q-url-param-list=&q-signature=ab§',
};

/** @param read which reading of the page, from 0: another signature each */
export function presigned(url: string, read = 0, scheme = 'Amazon S3, version 4'): string {
  return `${url}${url.includes('?') ? '&' : '?'}${presigning(read, scheme)}`;
}

export function presigning(read = 0, scheme = 'Amazon S3, version 4'): string {
  return (PRESIGNED[scheme] ?? '').replaceAll('§', String(read));
}
