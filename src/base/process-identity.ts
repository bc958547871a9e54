/** Identifies a process, so that another process of the same machine can see whether it is alive. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { codeOf } from './error.js';

export interface ProcessIdentity {
  readonly host: string;
  /** Identifies the boot of the machine and the PID namespace: another container counts as another boot. */
  readonly boot: string;
  readonly pid: number;
  /** When the process began, in the system's own count; `unknown` if it is not available. */
  readonly started: string;
}

/** The processes of this machine. */
export interface Processes {
  readonly self: ProcessIdentity;
  /** True only if it is certain: same host, same boot, and no process has the id, or a later one has it. */
  isDead(process: ProcessIdentity): boolean;
}

const UNKNOWN = 'unknown';

class SystemProcesses implements Processes {
  readonly self: ProcessIdentity = {
    host: hostname(),
    boot: bootId(),
    pid: process.pid,
    started: entryOf(process.pid)?.started ?? UNKNOWN,
  };

  isDead({ host, boot, pid, started }: ProcessIdentity): boolean {
    if (host !== this.self.host || boot !== this.self.boot) return false;
    if (!isThere(pid)) return true;
    const entry = entryOf(pid);
    if (!entry) return false;
    // a zombie, or another process has the id by now
    return entry.state === 'Z' || (started !== UNKNOWN && started !== entry.started);
  }
}

export const systemProcesses: Processes = new SystemProcesses();

function bootId(): string {
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid')) ?? '';
  const id = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  if (id !== undefined) return `${id} ${namespace}`.trim();
  // Not Linux: the minute of the boot. A clock that is set meanwhile looks like another boot: then no
  // process counts as dead.
  return `booted in minute ${Math.round((Date.now() / 1000 - uptime()) / 60)}`;
}

/** Source: proc(5), fields 3 and 22 of /proc/pid/stat; the name before them may contain spaces and brackets. */
function entryOf(pid: number): { readonly state: string; readonly started: string } | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, started] = [fields?.[0], fields?.[19]];
  return state === undefined || started === undefined ? undefined : { state, started };
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH'; // EPERM: another user's process
  }
}

function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
