/** Whoever reads a conversation as JSON gets its times as texts, and all else as it is. */
import { expect, it } from 'vitest';
import type { Conversation } from '../../../../src/archive/reading/conversation.js';
import { conversationJson } from '../../../../src/cli/output/conversation-json.js';

it('the JSON of a conversation has times as texts, and numbers as they are', () => {
  const at = 1_795_831_203_229_000n;
  const row = { created_at: at, exported_at: at, created_before: null, byte_count: at, name: 'x' };
  const shown = {
    ...row,
    created_at: '2026-11-28T02:00:03.229000Z',
    exported_at: '2026-11-28T02:00:03.229000Z',
  };
  const tables = {
    blocks: [row],
    artifacts: [],
    sources: [],
    proposed_questions: [],
  };
  const jobs = [{ job: row, ...tables, raw_jobs: [] }];
  const shownRows = { session: row, jobs, order_known: true, caveats: [] };
  const conversation = shownRows as unknown as Conversation;
  expect(conversationJson(conversation, new Set())).toEqual({
    session: shown,
    jobs: [{ job: shown, ...tables, blocks: [shown], raw_jobs: [] }],
    order_known: true,
    caveats: [],
  });
});
