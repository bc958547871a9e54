/** Finds the secrets in the variables of a process, ours and those of the libraries that read them. */
import { proxyFromEnvironment, proxySecrets } from '../base/http/proxy.js';
import { secretsInAddress } from '../base/text/address.js';
import { percentDecoded } from '../base/text/percent-decoded.js';
import type { Terminal } from './terminal.js';

const SECRETS = ['JOBVAULT_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'];
const ADDRESSES = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'AWS_ENDPOINT_URL',
  'AWS_ENDPOINT_URL_S3',
];
/** `name=value`, separated by commas, percent-encoded. */
const HEADERS = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'];

/** What must not stand in any message. */
export function secretsOfEnvironment(environment: Terminal['environment']): string[] {
  const values = (names: readonly string[]) => names.flatMap((name) => environment[name] ?? []);
  return [
    ...values(SECRETS),
    ...values(ADDRESSES).flatMap(secretsInAddress),
    ...values(HEADERS).flatMap(secretsInHeaders),
    ...proxySecrets(proxyFromEnvironment(environment)),
  ].filter((secret) => secret !== '');
}

/** Each value, and of `Bearer …` or `Basic …` the credentials alone. */
function secretsInHeaders(list: string): string[] {
  return list.split(',').flatMap((header) => {
    const given = header.slice(header.indexOf('=') + 1).trim();
    const value = percentDecoded(given) ?? given;
    return [given, value, value.replace(/^[a-z]+ +/i, '')];
  });
}
