/** The fields that narrow lists and search alike: they change the address, and the address is what counts. */
import { visibleId } from '../../base/text/direction.js';
import type { UserLine } from '../page-data.js';
import { make } from './elements.js';
import { NO_FILTER, withFilter, type Filter, type Route } from './addresses.js';

export class FilterFields {
  readonly #form: HTMLElement;
  readonly #user = make('select', { id: 'of-user' });
  readonly #from = make('input', { type: 'date', id: 'from-day' });
  readonly #to = make('input', { type: 'date', id: 'to-day' });
  readonly #clear = make('a', { class: 'clear' }, 'Clear');
  #route: Route | undefined;

  constructor(form: HTMLElement, users: readonly UserLine[]) {
    this.#form = form;
    this.#user.append(
      make('option', { value: '' }, 'All users'),
      ...users.map(({ id }) => make('option', { value: `=${id}` }, visibleId(id))),
    );
    const fields = [
      ...(users.length > 1 ? [labelled('User', this.#user)] : []),
      labelled('From', this.#from),
      labelled('To', this.#to),
    ];
    form.append(...fields, this.#clear);
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('change', () => this.#apply());
  }

  /** Shows the filter of an address; a conversation is always whole. */
  show(route: Route): void {
    this.#route = route;
    const { user, from, to } = route.filter;
    this.#form.hidden = route.view === 'session';
    this.#user.value = user === null ? '' : `=${user}`;
    this.#from.value = from ?? '';
    this.#to.value = to ?? '';
    this.#clear.hidden = user === null && from === null && to === null;
    this.#clear.setAttribute('href', withFilter(route, NO_FILTER));
  }

  #apply(): void {
    if (!this.#route) return;
    const user = this.#user.value === '' ? null : this.#user.value.slice(1);
    const filter = { user, from: dayOf(this.#from), to: dayOf(this.#to) };
    location.hash = withFilter(this.#route, filter);
  }
}

/** `by ana from 2026-03-01 to 2026-03-31`; nothing without a filter. */
export function filterText({ user, from, to }: Filter): string {
  return [
    ...(user === null ? [] : [`by ${user}`]),
    ...(from === null ? [] : [`from ${from}`]),
    ...(to === null ? [] : [`to ${to}`]),
  ].join(' ');
}

/** `No user from 2026-01-01.`, or `No user.` where nothing is filtered. */
export function noneText(what: string, filter: Filter): string {
  return `No ${what} ${filterText(filter)}`.trimEnd() + '.';
}

function labelled(text: string, field: HTMLElement): HTMLElement {
  return make('label', {}, make('span', {}, text), field);
}

function dayOf(field: HTMLInputElement): string | null {
  return field.value === '' ? null : field.value;
}
