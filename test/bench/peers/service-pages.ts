/** What any program does that reads the service: ask for each page, take its bytes, parse them. */
import { Agent } from 'undici';
import type { Service } from '../emulator-process.js';

const PAGE_SIZE = 100;

export interface Block {
  readonly type: string;
  readonly content: unknown;
  readonly group_id?: string | number;
  readonly group_name?: string;
  readonly stage?: string;
}

export interface Job {
  readonly job_id: string;
  readonly question: { readonly blocks: readonly Block[] };
  readonly answer: { readonly blocks: readonly Block[] };
}

export interface Session {
  readonly id: string;
  readonly name: string;
}

export interface HistoryPage {
  readonly user: string;
  readonly session: Session;
  readonly jobs: readonly Job[];
}

/** Every page of every history, one after the other. */
export async function* historyPages({ baseUrl, users }: Service): AsyncGenerator<HistoryPage> {
  const agent = new Agent();
  const page = async <T>(path: string): Promise<readonly T[]> => {
    const url = new URL(baseUrl + path);
    const { body } = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: { 'x-pd-api-key': 'demo-key' },
    });
    return (JSON.parse(await body.text()) as { data: { records: T[] } }).data.records;
  };
  for (const user of users) {
    const asked = `user_id=${user}&page_size=${PAGE_SIZE}`;
    for (const session of await page<Session>(`/v2/team/sessions?${asked}`)) {
      for (let number = 1, isLast = false; !isLast; number++) {
        const path = `/v2/team/sessions/${session.id}/history?${asked}&page_number=${number}`;
        const jobs = await page<Job>(path);
        isLast = jobs.length < PAGE_SIZE;
        yield { user, session, jobs };
      }
    }
  }
  await agent.close();
}
