/** What runs here, and whether it is recent enough. */
import { VERSION } from '../base/version.js';
import { failed, ok, type Finding } from './finding.js';

/** As package.json has it under `engines`. */
const LEAST_NODE = [20, 19] as const;

/** @param nodeVersion `v20.19.0` */
export function examineVersions(nodeVersion: string): Finding[] {
  const told = `jobvault ${VERSION} on Node.js ${nodeVersion.replace(/^v/, '')}`;
  const [major = 0, minor = 0] = nodeVersion.replace(/^v/, '').split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  const isRecent = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  if (isRecent) return [ok('versions', told)];
  return [failed('versions', told, `install Node.js ${LEAST_NODE.join('.')} or newer`, 'usage')];
}
