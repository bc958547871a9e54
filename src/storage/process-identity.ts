/** Which process this is, and whether another one of this machine still lives. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { codeOf } from '../base/error.js';

/** Tells one process from every other, also after its number has been given away again. */
export interface ProcessMark {
  readonly host: string;
  /** The same for processes that see each other's numbers: one start of one machine, one container. */
  readonly boot: string;
  readonly pid: number;
  /** When it was started, in a unit of the system's own; null where that cannot be told. */
  readonly started: string | null;
}

export interface ProcessIdentity {
  readonly own: ProcessMark;
  /** Undefined of a process elsewhere: from here nobody can tell. */
  isAlive(mark: ProcessMark): boolean | undefined;
}

export const systemProcessIdentity: ProcessIdentity = createSystemProcessIdentity();

function createSystemProcessIdentity(): ProcessIdentity {
  const { pid } = process;
  const own = { host: hostname(), boot: bootOf(), pid, started: processStat(pid)?.started ?? null };
  return {
    own,
    isAlive(mark) {
      if (mark.host !== own.host || mark.boot !== own.boot) return undefined;
      if (!isRunning(mark.pid)) return false;
      const stat = processStat(mark.pid);
      if (stat?.isOver) return false;
      return stat === undefined || mark.started === null || stat.started === mark.started;
    },
  };
}

/** Containers on one machine share its boot, but each counts its processes from 1. */
function bootOf(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Not Linux. Where the rounding is unlucky a dead process counts as one elsewhere, and is waited for.
    return `since ${Math.round((Date.now() / 1000 - uptime()) / 100)}`;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0); // sends nothing
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/** Undefined where the system does not tell. Source: proc_pid_stat(5): state and start time, behind the name. */
function processStat(
  pid: number,
): { readonly isOver: boolean; readonly started: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // a zombie has ended, but nobody has asked yet how
    return { isOver: /^[ZXx]$/.test(fields[0] ?? ''), started: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}
