/** What kind of trouble a storage has, and how each is mended: one sentence for each, because each needs another. */

/** As clauses without a full stop, for people who run the command; `doctor` gives them too, so none sends anybody there. */
export const STORAGE_FIXES = {
  space: 'free space at that place, or raise its quota',
  permission: 'give this key the permission that is missing',
  'file-permission': 'give this user write access to that place, or name another one',
  'read-only': 'mount the file system writable, or name another place',
  bucket: 'create the bucket, or correct its name in s3://BUCKET/PREFIX',
  region: "give the bucket's region with --s3-region or AWS_REGION",
  host: "correct the host in --s3-endpoint, or mend this machine's DNS",
  'no-endpoint':
    "name the address of the store with --s3-endpoint, or with --config the file that has it; where it is AWS, mend this machine's DNS",
  refused: 'correct host and port in --s3-endpoint, and see that the store is running there',
  network: 'see what is between here and the store: firewall, VPN, HTTPS_PROXY and NO_PROXY',
  'proxy-down':
    'see that the proxy is running there, correct its address in HTTPS_PROXY or HTTP_PROXY, or name the store in NO_PROXY',
  proxy: "put the proxy's user and password into HTTPS_PROXY, or name the store in NO_PROXY",
  certificate: "name the file of the store's certificate authority in NODE_EXTRA_CA_CERTS",
  busy: 'wait until the store answers again; if that happens often, lower --concurrency',
  credentials:
    'give the right AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or a role of this machine',
  token: 'renew the session token: sign in again, or set a new AWS_SESSION_TOKEN',
  clock: "set this machine's clock",
  unsupported:
    'use a store that supports it, or leave out what asks for it (--s3-storage-class, --s3-sse, --s3-kms-key-id, --s3-object-lock)',
  offline:
    'restore the objects of the archive, and except it from the lifecycle rule that moves them to such a class',
  conditions:
    'use a store that honours If-None-Match: without it two runs can overwrite each other',
  lists:
    'use a file system that gives names back as they were written, with upper and lower case, or a store that lists what it has at once, with no cache before it',
  front: 'let requests to the store pass what is in front of it: something else has answered',
  size: 'lower --checkpoint-size, or --max-file-size where it is a downloaded file',
  'open-files': 'raise the limit of open files (ulimit -n), or lower --concurrency',
  device: 'check the disk',
  missing: 'create (or mount) the directory that is missing, or name another place',
  path: 'move away what stands at that path, or name another place',
  locked: 'wait until the other process ends, or end it',
  checksum: 'give --s3-checksum none: this store takes no checksums with uploads',
  other: 'check what the message quotes, and of a bucket the --s3-… options, too',
} as const;

/** Where `init --nightly` puts what a bucket needs. */
export const NIGHTLY_ENVIRONMENT =
  'in the folder of init --nightly they stand in the file environment, which is read where --config names the configuration beside it';

export type StorageTrouble = keyof typeof STORAGE_FIXES;
