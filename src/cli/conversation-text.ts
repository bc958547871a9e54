/** A conversation as plain text, for a terminal. */
import type { Row } from '../model/table-schema.js';
import { formatTimestamp } from '../model/timestamp.js';
import { counted } from './aligned.js';
import { visible } from './visible.js';

export interface ShownJob {
  readonly job: Row;
  readonly blocks: readonly Row[];
  readonly artifacts: readonly Row[];
}

export interface ShownConversation {
  readonly session: Row;
  readonly jobs: readonly ShownJob[];
}

const RULE = '─'.repeat(72);

export function conversationText({ session, jobs }: ShownConversation): string {
  const name = textIn(session, 'name') ?? '(no name)';
  const head = `${name}\nsession ${cell(session, 'session_id')}, user ${cell(session, 'user_id')}\n`;
  return visible(head + jobs.map(jobText).join(''));
}

function jobText({ job, blocks, artifacts }: ShownJob): string {
  const asked = typeof job['created_at'] === 'bigint' ? formatTimestamp(job['created_at']) : null;
  const version = Number(job['job_version']) > 1 ? `, version ${cell(job, 'job_version')}` : '';
  const answer = blocks.filter((block) => block['role'] === 'answer');
  const steps = answer.filter((block) => textIn(block, 'stage')?.toLowerCase() === 'analyze');
  const final = answer.filter((block) => !steps.includes(block));
  const files = new Map(artifacts.map((artifact) => [artifact['block_index'], artifact]));
  return [
    `\n${RULE}\n${cell(job, 'job_id')}${version}${asked === null ? '' : `, ${asked.slice(0, 19)}Z`}\n`,
    `\nQ: ${textIn(job, 'question_text') ?? '(no text)'}\n`,
    ...(steps.length > 0 ? [`\n[${counted(steps.length, 'step')} of analysis]\n`] : []),
    ...final.map((block) => `\n${blockText(block, files.get(block['block_index'] ?? null))}\n`),
  ].join('');
}

function blockText(block: Row, artifact: Row | undefined): string {
  if (artifact) {
    const name = textIn(artifact, 'name') ?? '(no name)';
    const where =
      artifact['status'] === 'stored'
        ? cell(artifact, 'path')
        : `${cell(artifact, 'status')}: ${cell(artifact, 'reason')}`;
    return `[${cell(block, 'type')}] ${name} → ${where}`;
  }
  const text = textIn(block, 'content_text');
  if (text !== null)
    return block['type'] === 'MESSAGE' ? text : `[${cell(block, 'type')}]\n${text}`;
  return `[${cell(block, 'type')}] ${textIn(block, 'content_json') ?? ''}`;
}

function textIn(row: Row, column: string): string | null {
  const value = row[column];
  return typeof value === 'string' ? value : null;
}

function cell(row: Row, column: string): string {
  return String(row[column] ?? '');
}
