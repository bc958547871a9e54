/** Removes from a job's texts what its file URLs hold beside origin, path and names of parameters. */
import type { JobRecord, Verbatim } from '../model/records.js';
import { addressesOf, withoutFileSecrets } from '../model/shown-url.js';
import { readingOf } from './record-reading.js';

/** Wherever the URL stands in the record: a text may repeat the URL of a block. */
export function fileSecretsRemover(job: Verbatim<JobRecord>): (text: string) => string {
  const addresses = addressesOf(readingOf(job).places.map(({ url }) => url));
  return (text) => withoutFileSecrets(text, addresses);
}
