import { createRequire } from 'node:module';

const manifest = createRequire(import.meta.url)('../../package.json') as { version: string };

/** The version of this package: `0.1.0`. */
export const VERSION = manifest.version;

/** As archives and user agents name it. */
export const TOOL = `jobvault ${VERSION}`;
