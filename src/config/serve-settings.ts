/** Settings of `serve`: what it serves, and how it errs. */
import { storageSettings } from './storage-settings.js';
import { choice, duration, list, positive, text, toggle, whole } from './setting.js';

export const serveSettings = {
  archive: text({
    name: 'from',
    describe:
      'Serve this archive, read-only, instead of generated data: a directory or s3://bucket/prefix',
    isFlagOnly: true,
  }),
  keyFile: text({
    name: 'key-file',
    describe: 'A file with the API key that callers must send, with --from; default: a new key',
    isFlagOnly: true,
  }),
  scratch: text({
    name: 'scratch',
    isRare: true,
    describe:
      "With --from: the directory for temporary records; default: the system's temporary directory",
    isFlagOnly: true,
  }),
  host: text({ name: 'host', describe: 'The address to listen on', default: '127.0.0.1' }),
  port: whole(
    { name: 'port', describe: 'The port of the API; 0 takes a free one', default: 4010 },
    [0, 65_535],
  ),
  filesPort: whole(
    {
      name: 'files-port',
      describe: 'The port of the file host; 0 takes a free one',
      default: 0,
    },
    [0, 65_535],
  ),
  seed: whole(
    {
      name: 'seed',
      describe: 'The same seed gives the same data, if the other flags are the same',
      default: 1,
    },
    [0, 2 ** 32 - 1],
  ),
  users: whole({ name: 'users', describe: 'How many users have data', default: 3 }, [0, 1_000_000]),
  sessions: whole({ name: 'sessions', describe: 'Sessions per user', default: 8 }, [0, 150]),
  jobs: whole({ name: 'jobs', describe: 'Jobs per session, at most', default: 12 }, [0, 1_000_000]),
  urlTtlMs: duration({ name: 'url-ttl', describe: "How long a file's URL lives", default: '10m' }),
  rateLimit: whole(
    { name: 'rate-limit', describe: 'API requests per second; 0 for no limit', default: 20 },
    [0, 1_000_000],
  ),
  maxPageSize: whole(
    { name: 'max-page-size', describe: 'The largest page that is granted', default: 100 },
    [1, 1_000_000],
  ),
  importFiles: list({
    name: 'import',
    describe:
      'A JSON file with histories to serve, {"users": [{"user_id": "ada", "sessions": [{"id": "s1", "name": "Sales", "jobs": [{"job_id": …}, …]}]}], "files": {"sales.csv": {"text": …}}}, oldest first; config/guide/commands.md describes the format; repeatable',
  }),
  latency: duration({ name: 'latency', describe: 'The delay of every answer' }),
  errorRate: positive({
    name: 'error-rate',
    describe: 'The share of requests that fail with HTTP 500, up to 1',
  }),
  order: choice(
    {
      name: 'order',
      describe: 'The order of lists; shuffled: another order for every request',
      default: 'newest',
    },
    ['newest', 'oldest', 'shuffled'],
  ),
  overviewCode: choice(
    {
      name: 'overview-code',
      describe: "The code of a dataset's overview: an object, or plain as other clients expect it",
      default: 'nested',
    },
    ['nested', 'plain'],
  ),
  odd: toggle({
    name: 'odd',
    describe:
      'Also serve unusual names and contents: formulas, paths, markup, control characters, empty files',
  }),
  gaps: toggle({ name: 'gaps', describe: 'Also serve answers whose files cannot be downloaded' }),
  ...storageSettings,
};
