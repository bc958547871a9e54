/** Finds the secrets in the variables of a process, ours and those of the libraries that read them. */
import { type Terminal } from './output/terminal.js';
import { proxyFromEnvironment, proxySecrets } from '../base/http/proxy.js';
import { secretsInAddress } from '../base/text/address.js';

const SECRETS = ['JOBVAULT_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];
const ADDRESSES = ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3'];

/** What must not stand in any message. */
export function secretsOfEnvironment(environment: Readonly<Terminal['environment']>): string[] {
  const values = (names: readonly string[]) => names.flatMap((name) => environment[name] ?? []);
  return [
    ...values(SECRETS),
    ...values(ADDRESSES).flatMap(secretsInAddress),
    ...proxySecrets(proxyFromEnvironment(environment)),
  ].filter((secret) => secret !== '');
}
