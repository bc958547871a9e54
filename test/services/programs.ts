/** Programs that tests need and that npm cannot bring: found on the path, or where a variable says. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @returns where the program is; undefined where it cannot be had */
export function findProgram(name: string, variable: string): string | undefined {
  const named = process.env[variable];
  const candidates = named
    ? [named]
    : (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, name));
  return candidates.find(isExecutable);
}

export const redisServer = findProgram('redis-server', 'JOBVAULT_TEST_REDIS_SERVER');
/** The headless shell is Chromium without windows; it takes three quarters of the time. */
export const chromium =
  findProgram('chromium-headless-shell', 'JOBVAULT_TEST_CHROMIUM') ??
  findProgram('chromium', 'JOBVAULT_TEST_CHROMIUM');
/** Checks rules for Prometheus, and tries them. */
export const promtool = findProgram('promtool', 'JOBVAULT_TEST_PROMTOOL');
export const prometheus = findProgram('prometheus', 'JOBVAULT_TEST_PROMETHEUS');
/** Compares a list of checksums with a bucket or a directory. */
export const rclone = findProgram('rclone', 'JOBVAULT_TEST_RCLONE');
/** Makes certificates and time stamps, and checks them as a stranger does. */
export const openssl = findProgram('openssl', 'JOBVAULT_TEST_OPENSSL');
/** Runs a command under a pseudo-terminal: that of util-linux, not of BSD. */
export const script =
  process.platform === 'linux' ? findProgram('script', 'JOBVAULT_TEST_SCRIPT') : undefined;
export const pdfToText = findProgram('pdftotext', 'JOBVAULT_TEST_PDFTOTEXT');

const chdbPlace = process.env['JOBVAULT_TEST_CHDB'];
/** ClickHouse as a package, which reads Delta tables. With 540 MB it is no dependency: `.ci/night` installs and names it. */
export const chdb = chdbPlace ? join(chdbPlace, 'node_modules', 'chdb') : undefined;

/** What is left out where a program is missing, and how to have it. */
export const missingPrograms: readonly string[] = [
  ...(redisServer
    ? []
    : ['the fleet: install redis-server, or name it in JOBVAULT_TEST_REDIS_SERVER']),
  ...(chromium
    ? []
    : [
        'the report in a browser: install chromium-headless-shell or chromium, or name it in JOBVAULT_TEST_CHROMIUM',
      ]),
  ...(rclone ? [] : ['the checksums with rclone: install rclone']),
  ...(pdfToText ? [] : ['the sheets of a printed report: install poppler-utils']),
  ...(openssl ? [] : ['TLS and time stamps: install openssl']),
  ...(script ? [] : ['the program on a terminal: install bsdutils (Debian) or util-linux']),
  ...(promtool && prometheus ? [] : ['the alerts for Prometheus: install prometheus']),
  ...(chdb
    ? []
    : [
        'Delta tables in ClickHouse: npm install --prefix DIR chdb@3.4.0, and name DIR in JOBVAULT_TEST_CHDB, as .ci/night does',
      ]),
];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
