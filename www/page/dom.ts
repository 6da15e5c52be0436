/** What an element is made of: attributes, listeners and children. Children are text or elements, never HTML. */
export type Child = Node | string | null | undefined;

/** Attributes; `on` holds listeners. `true` sets an attribute without a value, `false` and `undefined` leave it out. */
export interface Attributes {
  readonly [name: string]: string | number | boolean | undefined | Listeners;
  readonly on?: Listeners;
}

type Listeners = { readonly [Kind in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[Kind]) => void };

/** Makes an element. Text, trusted or not, becomes a text node. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false || typeof value === "object") continue;
    made.setAttribute(key, value === true ? "" : String(value));
  }
  for (const [kind, listener] of Object.entries(attributes.on ?? {})) made.addEventListener(kind, listener as EventListener);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A button that does something. */
export function button(text: Child, click: () => void, attributes: Attributes = {}, ...more: readonly Child[]): HTMLButtonElement {
  return element("button", { type: "button", ...attributes, on: { click } }, text, ...more);
}

/** Text for screen readers alone. */
export const unseen = (text: string): HTMLElement => element("span", { class: "unseen" }, text);

/** One of the drawings in `index.html`. */
export function icon(name: string): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const made = document.createElementNS(space, "svg");
  made.setAttribute("class", "icon");
  made.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(space, "use");
  use.setAttribute("href", `#icon-${name}`);
  made.append(use);
  return made;
}

/** The element with an id, which `index.html` has. */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`index.html has no ${kind.name} #${id}`);
  return found;
}

/**
 * Rebuilds part of the page and keeps the focus: on what bears the same `data-key` afterwards, else on
 * what `otherwise` gives, so that it never falls back to the top of the page.
 */
export function keepFocus(part: HTMLElement, rebuild: () => void, otherwise: () => HTMLElement | null | undefined): void {
  const before = document.activeElement;
  const key = before instanceof HTMLElement && part.contains(before) ? (before.closest<HTMLElement>("[data-key]")?.dataset["key"] ?? "") : undefined;
  rebuild();
  if (key === undefined || document.activeElement === before) return;
  const same = key === "" ? null : part.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  (same ?? otherwise())?.focus();
}
