/** Shows the plan of a deletion and asks for confirmation. */
import type { PruneSummary } from '../prune/prune-summary.js';
import { counted } from './output/aligned.js';
import { confirm } from './input/confirm.js';
import { canAsk } from './input/questions.js';
import { plain } from './output/paint.js';
import { pruneReport } from './output/reports/prune-report.js';
import type { Terminal } from './terminal.js';

/** Undefined with `--yes` or without a terminal. */
export function askBeforePrune(
  terminal: Terminal,
  yes: boolean,
): ((plan: PruneSummary) => Promise<boolean>) | undefined {
  if (yes || !canAsk(terminal)) return undefined;
  return (plan) => {
    const jobs = plan.sessions
      .filter(({ outcome }) => outcome === 'planned')
      .reduce((sum, session) => sum + session.jobs, 0);
    terminal.stderr.write(pruneReport(plan, plain));
    const what = `${counted(plan.planned, 'session')} with ${counted(jobs, 'job')}`;
    return confirm(`Delete ${what} from the service permanently?`, terminal);
  };
}
