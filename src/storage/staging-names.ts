/** Names of staged files: they tell whose they are from the moment they exist, so that no note can be missing. */
import { sha256Hex } from '../base/digest.js';
import type { ProcessIdentity, ProcessMark } from './process-identity.js';

/** One storage instance of one process. */
export interface StagingOwner {
  /** What all its names begin with. */
  readonly prefix: string;
  /** Unknown: of another machine, or from before this one was started. */
  readonly life: 'alive' | 'dead' | 'unknown';
}

const UNTOLD = 'untold';
const NAME = /^(?<prefix>(?<machine>[0-9a-f]{16})-(?<pid>\d+)-(?<started>\w+)-[0-9a-f]{16})-\d+$/;

/** @param instance 16 hexadecimal digits, so that two storages of a process never pick the same name */
export function stagingPrefix(own: ProcessMark, instance: string): string {
  return `${machineOf(own)}-${own.pid}-${own.started ?? UNTOLD}-${instance}`;
}

/** A name of another shape is an owner of its own. */
export function stagingOwnerOf(name: string, process: ProcessIdentity): StagingOwner {
  const { prefix = name, machine, pid, started = UNTOLD } = NAME.exec(name)?.groups ?? {};
  if (machine !== machineOf(process.own)) return { prefix, life: 'unknown' };
  const isAlive = process.isAlive({
    ...process.own,
    pid: Number(pid),
    started: started === UNTOLD ? null : started,
  });
  if (isAlive === undefined) return { prefix, life: 'unknown' };
  return { prefix, life: isAlive ? 'alive' : 'dead' };
}

function machineOf({ host, boot }: ProcessMark): string {
  return sha256Hex(JSON.stringify([host, boot])).slice(0, 16);
}
