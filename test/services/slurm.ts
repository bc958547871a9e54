/** A real Slurm of one node: its own keys, ports and directories, nothing of the machine's configuration. */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from './free-port.js';

const run = promisify(execFile);

export class Slurm implements AsyncDisposable {
  private constructor(readonly directory: string) {}

  /** It takes about two seconds until the node is there. */
  static async start(): Promise<Slurm> {
    const slurm = new Slurm(await mkdtemp(join(tmpdir(), 'jobvault-slurm-')));
    try {
      await slurm.#start();
    } catch (error) {
      await slurm[Symbol.asyncDispose]();
      throw error;
    }
    return slurm;
  }

  /** Resolves when all tasks of the array are done; rejects where one of them failed. */
  async submit(
    words: readonly string[],
    environment: Readonly<Record<string, string>>,
  ): Promise<void> {
    await run('sbatch', ['--wait', ...words], {
      env: { PATH: process.env['PATH'], SLURM_CONF: this.#path('slurm.conf'), ...environment },
    });
  }

  async #start(): Promise<void> {
    for (const folder of ['munge', 'state', 'spool'])
      await mkdir(this.#path(folder), { mode: 0o700 });
    await writeFile(this.#path('munge/key'), randomBytes(1024), { mode: 0o600 });
    const munge = ['key', 'socket', 'pid', 'log', 'seed'].map((name) => {
      const option = name === 'socket' ? '--socket' : `--${name}-file`;
      return `${option}=${this.#path(`munge/${name}`)}`;
    });
    await run('munged', ['--force', '--num-threads=1', ...munge]);
    await writeFile(this.#path('slurm.conf'), await this.#configuration());
    await run('slurmctld', ['-c', '-f', this.#path('slurm.conf')]);
    await run('slurmd', ['-f', this.#path('slurm.conf'), '-N', node()]);
  }

  async #configuration(): Promise<string> {
    const [controller, daemon] = await freePorts(2);
    return [
      'ClusterName=jobvault',
      `SlurmctldHost=${node()}(127.0.0.1)`,
      'SlurmUser=root',
      'SlurmdUser=root',
      'AuthType=auth/munge',
      `AuthInfo=socket=${this.#path('munge/socket')}`,
      'CredType=cred/munge',
      `SlurmctldPort=${controller}`,
      `SlurmdPort=${daemon}`,
      `StateSaveLocation=${this.#path('state')}`,
      `SlurmdSpoolDir=${this.#path('spool')}`,
      `SlurmctldPidFile=${this.#path('slurmctld.pid')}`,
      `SlurmdPidFile=${this.#path('slurmd.pid')}`,
      `SlurmctldLogFile=${this.#path('slurmctld.log')}`,
      `SlurmdLogFile=${this.#path('slurmd.log')}`,
      'ProctrackType=proctrack/linuxproc',
      'TaskPlugin=task/none',
      'SwitchType=switch/none',
      'MpiDefault=none',
      'SelectType=select/cons_tres',
      'SelectTypeParameters=CR_CPU',
      'ReturnToService=2',
      'SchedulerType=sched/builtin',
      'SchedulerParameters=sched_interval=1,batch_sched_delay=0',
      // four tasks at a time, however small the machine is
      'SlurmdParameters=config_overrides',
      `NodeName=${node()} NodeAddr=127.0.0.1 CPUs=4 RealMemory=8000 State=UNKNOWN`,
      'PartitionName=all Nodes=ALL Default=YES State=UP',
      '',
    ].join('\n');
  }

  #path(name: string): string {
    return join(this.directory, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of ['slurmd.pid', 'slurmctld.pid', 'munge/pid']) await end(this.#path(name));
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Slurm knows a host by its short name. */
function node(): string {
  return hostname().split('.', 1)[0] ?? 'localhost';
}

/** Ends a daemon and waits until it is gone: it writes into its directory to the last. */
async function end(pidFile: string): Promise<void> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  if (!(pid > 0)) return;
  try {
    process.kill(pid);
  } catch {
    return; // it has ended by itself
  }
  // no child of ours, so that nobody tells of its end
  const watch = spawn('tail', [`--pid=${pid}`, '-f', '/dev/null']);
  await new Promise((resolve) => watch.once('close', resolve));
}
