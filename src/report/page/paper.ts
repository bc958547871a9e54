/** The whole report on paper: every conversation after the other, the oldest first, each on a new sheet. */
import type { PeopleData, UserData } from '../page-data.js';
import { load } from './data.js';
import { known, make } from './elements.js';
import { openSteps } from './job-element.js';
import { sessionOnPaper } from './session-view.js';

/** Jobs that are loaded before anybody asks: the browser's own print command then has them. */
const FEW_JOBS = 300;
/** More than these no browser puts on paper. */
const MOST_JOBS = 5000;

/** Fills what only paper shows: at once where the page says that it is for paper, and is small; else at the press of a button. */
export async function preparePaper(users: PeopleData['users']): Promise<void> {
  const jobs = users.reduce((sum, user) => sum + user.jobs, 0);
  if (jobs === 0 || jobs > MOST_JOBS) return;
  let filling: Promise<void> | undefined;
  window.addEventListener('beforeprint', () => {
    for (const folded of document.querySelectorAll('details.notes'))
      folded.setAttribute('open', '');
  });
  const fill = (): Promise<void> => (filling ??= fillPaper(users));
  known('printing').hidden = false;
  const steps = known('print-steps') as HTMLInputElement;
  steps.addEventListener('change', () => {
    openSteps(known('paper'), { all: steps.checked });
  });
  known('print-all').addEventListener('click', () => {
    void fill().then(() => {
      window.print();
    });
  });
  if (document.body.dataset['paper'] !== undefined && jobs <= FEW_JOBS) return fill();
  known('paper').append(make('p', { class: 'note' }, NOT_PRINTED));
}

const NOT_PRINTED =
  'The conversations are not on this paper: the button “Print every conversation” of the page puts them there.';

async function fillPaper(users: PeopleData['users']): Promise<void> {
  const paper = known('paper');
  const steps = known('print-steps') as HTMLInputElement;
  paper.replaceChildren();
  for (const { number } of users) {
    const { sessions } = await load<UserData>(`u/${number}`);
    for (const session of sessions.toReversed()) {
      if (session.jobs > 0) paper.append(await sessionOnPaper(session.number));
    }
  }
  if (steps.checked) openSteps(paper, { all: true });
}
