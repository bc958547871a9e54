/**
 * An archive as everyday makes it: a few users whom the command line exports night by night, and by day what happens
 * to archives, drawn at random from a seed. The same seed makes the same archive.
 */
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { systemClock } from '../../../src/base/runtime.js';
import { runCli } from '../../../src/cli/run-cli.js';
import { startEmulator, type Emulator } from '../../../src/emulator/emulator.js';
import { RandomStream } from '../../../src/emulator/seed/seed-plan.js';
import type { CliRun } from '../programs/cli-in-process.js';
import { scriptedApi, type ScriptedApi } from '../http/scripted-api.js';
import { testTerminal } from '../programs/test-terminal.js';
import { PICTURES } from '../tables/tiny-image.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Noon of a Wednesday: what the clock says before the first night. */
const BEGIN = Date.UTC(2026, 8, 30, 12);
const PEOPLE = ['Ana', 'jürgen.groß', '美咲', 'dora'];
/** Of two conversations one has the word of searches in its name, and of four tables three have it as text. */
const NAMES = ['Talk', 'Der Falke', 'Falcon', 'falcon 隼'];
const TABLES: Readonly<Record<string, string | Uint8Array>> = {
  'plain.csv': 'name,value\nx,1\n',
  'latin.csv': Buffer.from('Größe;Umsatz\nfalcon Zürich;1.234,50\n', 'latin1'),
  'wide.csv': Buffer.from('\uFEFF地域,売上\n東京 falcon,12\n', 'utf16le'),
  'long.csv': `who\n${`${'x'.repeat(98)}\n`.repeat(200)}falcon\n`,
};
const BY = ['--by', 'Grace Hopper', '--reason', 'as agreed'];

type Event = (rig: EverydayArchive) => string | Promise<string>;

export class EverydayArchive implements AsyncDisposable {
  /** The machine's clock is moved while the archive is there: commands take it by themselves. */
  readonly #clock = vi.spyOn(systemClock, 'now').mockImplementation(() => this.#now());
  #ahead = BEGIN - Date.now();
  /** What has happened, a line each: a failure prints it. */
  readonly diary: string[] = [];
  readonly #random: RandomStream;
  #listed: string[] = [];
  #made = 0;

  private constructor(
    readonly seed: number,
    readonly emulator: Emulator,
    readonly monitor: ScriptedApi,
    readonly directory: string,
  ) {
    this.#random = RandomStream.of('everyday', seed);
  }

  static async make(seed: number): Promise<EverydayArchive> {
    const emulator = await startEmulator({ users: 0 });
    const directory = await mkdtemp(join(tmpdir(), 'jobvault-everyday-'));
    const monitor = await scriptedApi({ status: 200 });
    const rig = new EverydayArchive(seed, emulator, monitor, directory);
    await writeFile(rig.beside('key'), 'no secret of anybody, and 32 bytes');
    try {
      await rig.#live();
      return rig;
    } catch (error) {
      await rig[Symbol.asyncDispose]();
      throw error;
    }
  }

  get out(): string {
    return join(this.directory, 'archive');
  }

  beside(name: string): string {
    return join(this.directory, name);
  }

  /** A command line in this process, at the hour of the archive. */
  async run(...words: readonly string[]): Promise<CliRun> {
    const environment = { JOBVAULT_API_KEY: 'demo-key', JOBVAULT_LOG_LEVEL: 'warn' };
    const terminal = testTerminal({ arguments: words, environment });
    const exitCode = await runCli(terminal);
    return { exitCode, ...terminal.told };
  }

  /** The last export of everybody. */
  lastNight: CliRun = { exitCode: 0, stdout: '', stderr: '' };
  /** What `status --json` said when it had ended. */
  morning: CliRun = this.lastNight;
  /** What monitors heard of it when it had ended; of a night without gaps there is no webhook. */
  heard: { readonly ping: string; readonly webhook: string | undefined } = {
    ping: '',
    webhook: undefined,
  };

  async #live(): Promise<void> {
    const { state, faults } = this.emulator;
    for (const [key, table] of Object.entries(TABLES)) state.putFile(key, table);
    state.putFile('kept.png', PICTURES['png'] ?? '', 'image/png');
    this.#listed = PEOPLE.slice(0, this.#random.integer(2, PEOPLE.length));
    // a service may take Ana for ana
    if (this.#chance(0.7)) {
      faults.resolveUser = (id) => (id.toLowerCase() === 'ana' ? 'Ana' : id);
    }
    for (const user of this.#listed) {
      for (let left = this.#random.integer(1, 3); left > 0; left--) this.#talk(user);
    }
    const nights = this.#random.integer(2, 4);
    for (let night = 0; night < nights; night++) {
      if (night > 0)
        for (let left = this.#random.integer(1, 3); left > 0; left--) await this.#happen();
      this.#breakDatasets(night);
      await this.#night();
    }
    for (let left = this.#random.integer(0, 3); left > 0; left--) await this.#happen();
  }

  async #night(): Promise<void> {
    const file = this.beside('users.csv');
    await writeFile(file, ['user_id', ...this.#listed, ''].join('\n'));
    const before = this.monitor.seen.length;
    const { url } = this.monitor;
    const monitors = ['--ping-url', `${url}/ping`, '--webhook-url', `${url}/hook`];
    const datasets = this.#hasDatasets ? ['--with-datasets'] : [];
    const night = this.#export('--users-file', file, ...monitors, ...datasets);
    this.lastNight = await this.run(...night, '--json');
    this.morning = await this.run('status', this.out, '--json');
    const heard = this.monitor.seen.slice(before);
    this.heard = {
      ping: heard.filter((one) => /ping(?!\/start)/.test(one.url)).at(-1)?.body ?? '',
      webhook: heard.find((one) => one.url.startsWith('/hook'))?.body,
    };
    this.#note(`night of ${this.#listed.join(', ')}: ${this.lastNight.exitCode}`);
    Object.assign(this.emulator.faults, { api: [], histories: [], refusedUsers: {} });
    this.#ahead += DAY;
  }

  get #hasDatasets(): boolean {
    return this.seed % 3 === 0;
  }

  /** By number, not drawn: whatever else is drawn of a seed stays. */
  #breakDatasets(night: number): void {
    if (!this.#hasDatasets || (this.seed + night) % 2 === 0) return;
    const { faults } = this.emulator;
    const answer = { kind: 'error', status: 403, code: 1003 } as const;
    faults.api = [...faults.api, { operations: ['listDatasets'], answer }];
    this.#note('the service refuses its datasets until the next night is over');
  }

  #export(...whom: string[]): string[] {
    const service = ['--base-url', this.emulator.baseUrl, '--rate', '1000'];
    const metrics = ['--metrics-dir', this.directory, '--min-users', '1%'];
    return ['export', '--out', this.out, ...whom, ...service, ...metrics];
  }

  async #happen(): Promise<void> {
    this.#note(await this.#random.pick(EVENTS)(this));
    this.#ahead += HOUR;
  }

  #now(): number {
    return Date.now() + this.#ahead;
  }

  #note(line: string): void {
    this.diary.push(line);
  }

  #chance(of: number): boolean {
    return this.#random.fraction() < of;
  }

  /** One of the conversations that the service has. */
  #anyConversation(): { readonly user: string; readonly session: string } | undefined {
    const { state } = this.emulator;
    const all = state
      .userIds()
      .flatMap((user) => state.sessionIds(user).map((session) => ({ user, session })));
    return all.length === 0 ? undefined : this.#random.pick(all);
  }

  /** A user or a conversation, as commands name them. */
  #whom(ofUser: number): string[] {
    return this.#chance(ofUser)
      ? ['--user', this.#random.pick(PEOPLE)]
      : ['--session', this.#anyConversation()?.session ?? 's-none'];
  }

  #talk(user: string): string {
    const { state } = this.emulator;
    const number = ++this.#made;
    const id = `s-${PEOPLE.indexOf(user)}-${number}`;
    const jobs = Array.from({ length: this.#random.integer(0, 4) }, () => this.#question());
    state.addSession(user, { id, name: `${this.#random.pick(NAMES)} ${number}` }, jobs);
    return id;
  }

  #question() {
    const { state } = this.emulator;
    const number = ++this.#made;
    const time = this.#now() - 20 * DAY + number * 5 * HOUR;
    const blocks: unknown[] = [];
    const block = (type: string, content: unknown) =>
      blocks.push({ type, content, stage: 'Respond', group_id: '', group_name: '' });
    const file = (name: string, ...kept: string[]) => {
      const key = this.#chance(0.2) ? `lost-${name}` : this.#random.pick(kept);
      return { name, url: `{{url:${key}}}`, expires_at: '{{expires_at}}' };
    };
    if (this.#chance(0.85)) {
      if (this.#chance(0.8)) block('MESSAGE', `Answer ${number}: the falcon.`);
      for (let left = this.#random.integer(0, 2); left > 0; left--) {
        block('TABLE', file(`table-${number}.csv`, ...Object.keys(TABLES)));
      }
      if (this.#chance(0.4)) block('IMAGE', file(`image-${number}.png`, 'kept.png'));
      if (this.#chance(0.3)) block('QUESTIONS', ['And then?']);
      // by number, not drawn: whatever else is drawn of a seed stays
      if (number % 3 === 0) block('CODE', 'SELECT 1');
      if (number % 4 === 0) {
        const source = (name: string) => ({ source: name, content: 'as agreed', page_no: 1 });
        block('SOURCES', ['all.pdf', `${number % 8}.pdf`, 'all.pdf'].map(source));
      }
    }
    return {
      job_id: this.#chance(0.25) ? `untimed-${number}` : state.newJobId(time),
      question: { blocks: [{ type: 'MESSAGE', content: `Question ${number}?` }] },
      answer: { blocks },
    };
  }

  /** @returns what to note */
  async #command(...words: readonly string[]): Promise<string> {
    const { exitCode, stderr } = await this.run(...words);
    const [line = ''] = stderr.split('\n').filter((one) => one.startsWith('jobvault'));
    return `${words.filter((word) => word !== this.out).join(' ')}: ${exitCode} ${line}`;
  }

  static readonly happenings: Readonly<Record<string, Event>> = {
    ask: (rig) => {
      const there = rig.#anyConversation();
      if (!there) return 'nobody talks';
      rig.emulator.state.addJob(there.user, there.session, rig.#question());
      return `${there.user} asks in ${there.session}`;
    },
    talk: (rig) => {
      const user = rig.#random.pick(PEOPLE);
      return `${user} begins ${rig.#talk(user)}`;
    },
    grow: (rig) => {
      const { state } = rig.emulator;
      const there = rig.#anyConversation();
      const jobs = there ? state.jobIds(there.user, there.session) : [];
      if (!there || jobs.length === 0) return 'nothing to answer';
      const job = rig.#random.pick(jobs);
      state.growAnswer(there.user, there.session, job, `Grown ${++rig.#made}.`);
      return `the answer ${job} of ${there.session} grows`;
    },
    withdraw: (rig) => {
      const { state } = rig.emulator;
      const there = rig.#anyConversation();
      const jobs = there ? state.jobIds(there.user, there.session) : [];
      if (!there || jobs.length === 0) return 'nothing to take back';
      const job = rig.#random.pick(jobs);
      state.deleteJob(there.user, there.session, job);
      return `the service has ${job} of ${there.session} no more`;
    },
    leave: (rig) => {
      const there = rig.#anyConversation();
      if (!there) return 'nothing to delete';
      rig.emulator.state.deleteSession(there.user, there.session);
      return `${there.user} deletes ${there.session}`;
    },
    respell: (rig) => {
      const other = (id: string) => (id === 'Ana' ? 'ana' : id === 'ana' ? 'Ana' : id);
      rig.#listed = rig.#listed.map(other);
      return `the list has ${rig.#listed.join(', ')}`;
    },
    both: (rig) => {
      rig.#listed = [...new Set(['ana', ...rig.#listed, 'Ana'])];
      return `the list has ${rig.#listed.join(', ')}`;
    },
    unlist: (rig) => {
      const [, ...others] = rig.#listed;
      if (others.length > 0) rig.#listed = others;
      return `the list has ${rig.#listed.join(', ')}`;
    },
    list: (rig) => {
      rig.#listed = [...new Set([...rig.#listed, rig.#random.pick([...PEOPLE, 'nobody'])])];
      return `the list has ${rig.#listed.join(', ')}`;
    },
    exportOne: async (rig) => {
      const user = rig.#random.pick(rig.#listed);
      const { exitCode } = await rig.run(...rig.#export('--user', user));
      return `export of ${user} alone: ${exitCode}`;
    },
    accept: async (rig) => {
      return rig.#command('gap', 'accept', rig.out, ...rig.#whom(0.5), ...BY, '--yes');
    },
    withdrawAcceptance: async (rig) => {
      return rig.#command('gap', 'withdraw', rig.out, ...rig.#whom(0.8), ...BY, '--yes');
    },
    hold: async (rig) => rig.#command('hold', 'add', rig.out, ...rig.#whom(0.5), ...BY),
    release: async (rig) => {
      const all = ['--all-holds', '--yes'];
      return rig.#command('hold', 'release', rig.out, ...rig.#whom(0.8), ...BY, ...all);
    },
    prune: async (rig) => {
      const service = ['--base-url', rig.emulator.baseUrl, '--rate', '1000'];
      const user = rig.#random.pick(rig.#listed);
      return rig.#command('prune', rig.out, ...service, '--user', user, '--all', '--yes');
    },
    erase: async (rig) => {
      const more = [
        ...(rig.#chance(0.4) ? ['--suppress'] : []),
        ...(rig.#chance(0.4) ? ['--except-held'] : []),
      ];
      return rig.#command('erase', rig.out, ...rig.#whom(0.4), ...more, ...BY, '--yes');
    },
    archiveAgain: async (rig) => {
      const user = ['--user', rig.#random.pick(PEOPLE)];
      return rig.#command('erase', rig.out, '--unsuppress', ...user, ...BY, '--yes');
    },
    expire: async (rig) => {
      const age = `${rig.#random.integer(12, 20)}d`;
      return rig.#command('expire', rig.out, '--older-than', age, ...BY, '--yes');
    },
    compact: async (rig) => rig.#command('compact', rig.out),
    refuse: (rig) => {
      const user = rig.#random.pick(PEOPLE);
      rig.emulator.faults.refusedUsers = { [user]: 1003 };
      return `the service refuses ${user} until the next night is over`;
    },
    fail: (rig) => {
      const there = rig.#anyConversation();
      if (!there) return 'nothing to fail';
      const answer = { kind: 'error', status: 500 } as const;
      rig.emulator.faults.api = [{ operations: ['getHistory'], pathId: there.session, answer }];
      return `the history of ${there.session} fails until the next night is over`;
    },
    swap: (rig) => {
      const [one, other] = [rig.#anyConversation(), rig.#anyConversation()];
      if (!one || !other) return 'nothing to swap';
      const sent = { userId: other.user, session: other.session };
      rig.emulator.faults.histories = [{ session: one.session, sent }];
      return `a cache has ${other.session} for ${one.session} until the next night is over`;
    },
  };

  async [Symbol.asyncDispose](): Promise<void> {
    this.#clock.mockRestore();
    await this.emulator.close();
    await this.monitor[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const EVENTS: readonly Event[] = Object.values(EverydayArchive.happenings);
