/** Makes the SDK's client: proxies, timeouts, retries. */
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { jitteredRetries, type OnTrouble } from './s3-retries.js';
import { type S3Options } from './s3-options.js';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { proxyFromEnvironment } from '../../base/http/proxy.js';
import { ProxyAgent } from '../../base/http/proxy-agent.js';
import { systemRandom, systemClock } from '../../base/runtime.js';

const CONNECTION_TIMEOUT_MS = 10_000;
/** Until the response begins. */
export const REQUEST_TIMEOUT_MS = 300_000;
/** For an idle connection. */
const SOCKET_TIMEOUT_MS = 60_000;
const MAX_SOCKETS = 64;

/** Credentials come from the standard chain: environment, profile, web identity, container, instance. */
export function createS3Client(options: S3Options, onTrouble?: OnTrouble): S3Client {
  // otherwise every command would print a warning on Node 20; users cannot choose the SDK's version
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const { endpoint, region, forcePathStyle = false, checksum = 'sha256' } = options;
  const whenSupported = checksum === 'none' ? 'WHEN_REQUIRED' : 'WHEN_SUPPORTED';
  const config: S3ClientConfig = {
    forcePathStyle,
    requestHandler: createHandler(),
    retryStrategy: jitteredRetries(systemRandom, systemClock, onTrouble, options.maxAttempts),
    requestChecksumCalculation: whenSupported,
    responseChecksumValidation: whenSupported,
    followRegionRedirects: false,
    // caches the middleware for each kind of request, which saves a sixteenth of a request's CPU
    cacheMiddleware: true,
  };
  if (endpoint !== undefined) config.endpoint = endpoint;
  if (region !== undefined) config.region = region;
  else if (endpoint !== undefined && !process.env['AWS_REGION']) config.region = 'us-east-1';
  return new S3Client(config);
}

function createHandler(): NodeHttpHandler {
  const { httpAgent, httpsAgent } = agents();
  return new NodeHttpHandler({
    httpAgent,
    httpsAgent: httpsAgent as unknown as HttpsAgent,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
    socketTimeout: SOCKET_TIMEOUT_MS,
  });
}

/**
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` have the same meaning as for the service; Node itself reads
 * `NODE_EXTRA_CA_CERTS`. Without a proxy, Node's own agents are used: they are quicker.
 */
function agents(): { readonly httpAgent: HttpAgent; readonly httpsAgent: HttpAgent } {
  const settings = proxyFromEnvironment(process.env);
  const maxSockets = MAX_SOCKETS;
  if (!settings.httpProxy && !settings.httpsProxy) {
    const kept = { keepAlive: true, maxSockets };
    return { httpAgent: new HttpAgent(kept), httpsAgent: new HttpsAgent(kept) };
  }
  const agent = new ProxyAgent({ settings: () => settings, maxSockets });
  return { httpAgent: agent, httpsAgent: agent };
}
