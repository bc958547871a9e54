/** The other process of the soak: the emulator, 5 % of whose answers fail, and the people who use it. */
import { sha256Hex } from '../../src/base/digest.js';
import { startEmulator, type Emulator } from '../../src/emulator/emulator.js';
import type { ApiFault, FileFault } from '../../src/emulator/faults/faults.js';
import { seededRandom } from '../support/store/archive-samples.js';
import { comparable, type ServedJob, type ToSoak } from './soak-protocol.js';

const [seed = '1', percentFailing = '5', peopleMs = '250'] = process.argv.slice(2);
const MOST_JOBS = 40;

/** Of five rules for either side each. */
const percent = { probability: Number(percentFailing) / 500 } as const;
const API_FAULTS: readonly ApiFault[] = [
  { ...percent, answer: { kind: 'error', status: 500, code: 9999 } },
  { ...percent, answer: { kind: 'error', status: 429, code: 201, retryAfter: '1' } },
  { ...percent, answer: { kind: 'reset', afterBytes: 100 } },
  { ...percent, answer: { kind: 'truncate', afterBytes: 200 } },
  { ...percent, answer: { kind: 'html' } },
];
const FILE_FAULTS: readonly FileFault[] = [
  { ...percent, answer: { kind: 'status', status: 500 } },
  { ...percent, answer: { kind: 'status', status: 503, retryAfter: '1' } },
  { ...percent, answer: { kind: 'reset', afterBytes: 10 } },
  { ...percent, answer: { kind: 'xml' } },
  { ...percent, answer: { kind: 'html' } },
];

const random = seededRandom(Number(seed));
const emulator = await startEmulator({ users: 12, sessions: 8, jobs: 10, urlTtlMs: 20_000 });
emulator.faults.api = API_FAULTS;
emulator.faults.files = FILE_FAULTS;
const people = setInterval(() => act(emulator), Number(peopleMs));
send({ kind: 'ready', baseUrl: emulator.baseUrl, users: emulator.state.userIds() });

process.on('message', (asked) => {
  if (asked === 'heal') {
    clearInterval(people);
    emulator.faults.api = [];
    emulator.faults.files = [];
    send({ kind: 'healed', jobs: [...servedJobs(emulator)] });
  } else void emulator.close().then(() => process.disconnect());
});

function below(count: number): number {
  return Math.floor(random.fraction() * count);
}

function act({ state }: Emulator): void {
  const users = state.userIds();
  const user = users[below(users.length)] ?? '';
  const sessions = state.sessionIds(user);
  const session = sessions[below(sessions.length)];
  const what = random.fraction();
  if (session === undefined || (what < 0.05 && sessions.length < 20)) {
    state.addJobs(user, state.addSession(user), 1);
    return;
  }
  const jobs = state.jobIds(user, session);
  const job = jobs[below(jobs.length)];
  if (what < 0.07 && sessions.length > 4) state.deleteSession(user, session);
  else if (what < 0.3 && job !== undefined) state.growAnswer(user, session, job, `and ${what}`);
  else if (jobs.length < MOST_JOBS) state.addJobs(user, session, 1);
}

function* servedJobs({ state }: Emulator): Generator<ServedJob> {
  for (const user of state.userIds()) {
    for (const session of state.sessionIds(user)) {
      for (const job of state.jobIds(user, session)) {
        const keys = state.fileKeys(user, session, job);
        const files = keys
          .flatMap((key) => state.file(key)?.bytes ?? [])
          .map((bytes) => sha256Hex(bytes));
        const record = comparable(state.jobText(user, session, job));
        yield { session, job, record: sha256Hex(record), files: [...new Set(files)].sort() };
      }
    }
  }
}

function send(message: ToSoak): void {
  process.send?.(message);
}
