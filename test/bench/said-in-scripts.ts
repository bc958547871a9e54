/** Conversations in Latin, Japanese and Arabic script, a third of the jobs each, as files that the emulator takes over. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RandomStream } from '../../src/emulator/seed/seed-plan.js';
import { cuid } from '../../src/emulator/seed/seeded-ids.js';

export interface Amount {
  readonly users: number;
  readonly sessions: number;
  readonly jobs: number;
  /** Of a job, one of them the question, another one code. Default `BLOCKS_A_JOB` */
  readonly blocks?: number;
}

/** One of them the question. */
const BLOCKS_A_JOB = 10;
/** Words of a block. */
const [FEWEST, MOST] = [40, 60];
const START = Date.UTC(2024, 0, 1);
const MINUTE = 60_000;
/** Of how many blocks one has the rare word. */
const RARE = 10_000;

interface Script {
  readonly words: readonly string[];
  readonly between: string;
  readonly rare: string;
}

const LATIN: Script = {
  words:
    'revenue Umsatz the of and customer Invoice budget quarter order region profit margin forecast analysis table chart Zürich café growth data model price product sales churn report which shows between'.split(
      ' ',
    ),
  between: ' ',
  rare: 'zebra',
};
const JAPANESE: Script = {
  words:
    '売上 先月の 商品 地域別 レポート 分析 顧客 利益率 を見せて データ （合計） グラフ ください。 前年比 ２０２４年'.split(
      ' ',
    ),
  between: '',
  rare: '縞馬',
};
const ARABIC: Script = {
  words: 'المبيعات الشهر الماضي تقرير العملاء الأرباح في من المنطقة بيانات مقارنة السنة'.split(' '),
  between: ' ',
  rare: 'زرافة',
};
const SCRIPTS = [LATIN, JAPANESE, ARABIC] as const;

/** Of each script a word that few blocks have, one that many have, and several at once. */
export const SEARCHED = {
  latin: ['zebra', 'umsatz', 'revenue budget -churn'],
  japanese: ['縞馬', '売上', '売上 顧客 -利益率'],
  arabic: ['زرافة', 'مبيعات', 'تقرير الأرباح -الشهر'],
} as const;

/** One file for each user. @returns their paths */
export async function writeConversations(directory: string, amount: Amount): Promise<string[]> {
  const random = RandomStream.of(1, 'search');
  const paths: string[] = [];
  let made = 0;
  for (let user = 0; user < amount.users; user++) {
    const sessions = Array.from({ length: amount.sessions }, (_, session) => ({
      id: `s-${user}-${session}`,
      name: `Session ${session}`,
      jobs: Array.from({ length: amount.jobs }, () => jobOf(random, made++, amount.blocks)),
    }));
    const path = join(directory, `user-${user}.json`);
    await writeFile(path, JSON.stringify({ users: [{ user_id: `user-${user}`, sessions }] }));
    paths.push(path);
  }
  return paths;
}

function jobOf(random: RandomStream, number: number, blockCount = BLOCKS_A_JOB): object {
  const script = SCRIPTS[number % SCRIPTS.length] ?? LATIN;
  const blocks = Array.from({ length: blockCount - 1 }, (_, block) => ({
    type: block === 2 ? 'CODE' : 'MESSAGE',
    content: textOf(random, script),
    group_id: block < blockCount - 3 ? 'g1' : '',
    group_name: block < blockCount - 3 ? 'Step 1' : '',
    stage: block < blockCount - 3 ? 'Analyze' : 'Respond',
  }));
  return {
    job_id: cuid(random, START + number * MINUTE),
    question: { blocks: [{ type: 'MESSAGE', content: textOf(random, script) }] },
    answer: { blocks },
  };
}

function textOf(random: RandomStream, { words, between, rare }: Script): string {
  const said = Array.from({ length: random.integer(FEWEST, MOST) }, () => random.pick(words));
  if (random.chance(1 / RARE)) said.push(rare);
  return `${said.join(between)} ${random.digits(12, 10)}`;
}
