// Elements are made of text nodes and attributes only, never of HTML in strings: what
// comes from a document is shown as text, whatever it says. A style is set through the
// object model, because the page's policy refuses style attributes.

export type Child = Node | string | null | undefined | false;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | boolean | undefined> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : value);
  }
  add(element, children);
  return element;
}

export function add(parent: Node, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    parent.appendChild(typeof child === "string" ? document.createTextNode(child) : child);
  }
}

const svgSpace = "http://www.w3.org/2000/svg";

export function svg(tag: string, attributes: Record<string, string>, ...children: Node[]): SVGElement {
  const element = document.createElementNS(svgSpace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  for (const child of children) element.appendChild(child);
  return element;
}

let ids = 0;

/** id makes a name that no other element of the page has. */
export function id(prefix: string): string {
  return `${prefix}-${++ids}`;
}

/** once runs the action when the details element is opened for the first time. */
export function onFirstOpen(details: HTMLDetailsElement, action: () => void): void {
  let done = false;
  details.addEventListener("toggle", () => {
    if (!details.open || done) return;
    done = true;
    action();
  });
}

/** save lets the reader keep a text as a file, without any network. */
export function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: name });
  document.body.appendChild(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
