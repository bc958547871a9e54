/** Turns settings into the options of a storage. */
import type { ValuesOf } from '../../config/resolve-settings.js';
import type { storageSettings } from '../../config/storage-settings.js';
import type { StorageOptions } from '../../storage/open-storage.js';

export function storageOptionsOf(given: ValuesOf<typeof storageSettings>): StorageOptions {
  return {
    s3: {
      endpoint: given.s3Endpoint,
      region: given.s3Region,
      forcePathStyle: given.s3ForcePathStyle,
      sse: given.s3Sse,
      kmsKeyId: given.s3KmsKeyId,
      storageClass: given.s3StorageClass,
      acl: given.s3Acl,
      tags: given.s3Tags,
      checksum: given.s3Checksum,
      objectLock: given.s3ObjectLock,
      retain: given.s3RetainUntil,
    },
  };
}
