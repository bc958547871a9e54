/** Makes elements from data: text is text, never markup, and what would turn its direction is shown. */
import { visibleDirections, visibleId } from '../../base/text/direction.js';
import { type When } from '../../model/times/when.js';
import { askedText } from './known-times.js';

export type Child = Node | string | null;
type Attributes = Readonly<Record<string, string | number | boolean | null>>;

/** @param attributes false and null leave one out, true gives it without a value */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) {
    if (child !== null)
      element.append(typeof child === 'string' ? visibleDirections(child) : child);
  }
  return element;
}

/** The element with this id, which stands in the page. */
export function known(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}

/** When a job was asked, and why there may be no moment. */
export function timeElement(when: When): HTMLElement {
  const title =
    typeof when === 'number' || when === null
      ? null
      : 'The id of the question has no timestamp; its neighbours in the history bound it.';
  // a day breaks at no hyphen, however narrow the screen
  const words = askedText(when).split(' ');
  const whole = words.map((word) => make('span', { class: 'short' }, word));
  return make(
    'span',
    { class: 'time', title },
    ...whole.flatMap((word) => [word, ' ']).slice(0, -1),
  );
}

/** An id with what cannot be seen in it: on a narrow screen it breaks behind a point or the like, and elsewhere only where it must. */
export function idParts(id: string): (Node | string)[] {
  return visibleId(id)
    .split(/(?<=[.@_+-])(?=[^.@_+-])/)
    .flatMap((part, at) => (at === 0 ? part : [make('wbr'), part]));
}

/** Says it to those who listen to the page. */
export function speak(text: string): void {
  known('spoken').textContent = text;
}
