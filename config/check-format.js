/**
 * `npm run format:check`: Prettier looks at the files that it has not found right before on this machine, in whichever
 * clone. What it says of a file depends on its path, its bytes, the options and its own version alone.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const caches = process.env['XDG_CACHE_HOME'] ?? `${homedir()}/.cache`;
const KNOWN = `${caches}/jobvault-test/formatted`;

const read = (path) => readFileSync(ROOT + path);
const { prettier: options } = JSON.parse(read('package.json'));
const packages = ['prettier', ...options.plugins];
const versions = packages.map(
  (name) => JSON.parse(read(`node_modules/${name}/package.json`)).version,
);
const rules = [JSON.stringify(options), ...versions, read('.prettierignore')].join('\n');
const digestOf = (path) =>
  createHash('sha256').update(`${rules}\n${path}\n`).update(read(path)).digest('hex');

const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
const paths = execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).split('\0');
const there = paths.filter((path) => path !== '' && existsSync(ROOT + path));
const digests = new Map(there.map((path) => [path, digestOf(path)]));
const known = new Set(existsSync(KNOWN) ? readFileSync(KNOWN, 'utf8').split('\n') : []);
const others = there.filter((path) => !known.has(digests.get(path)));
if (others.length > 0) {
  const program = `${ROOT}node_modules/prettier/bin/prettier.cjs`;
  const check = [program, '--check', '--ignore-unknown', ...others];
  const { status } = spawnSync(process.execPath, check, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
mkdirSync(`${caches}/jobvault-test`, { recursive: true });
writeFileSync(`${KNOWN}.${process.pid}`, [...digests.values()].join('\n'));
renameSync(`${KNOWN}.${process.pid}`, KNOWN);
console.log(`${there.length - others.length} files were found right before, ${others.length} now.`);
