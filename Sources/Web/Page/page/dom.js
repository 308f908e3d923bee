import { ICONS } from "./icons.js";

/** The element with this id; the page is ours, so it exists. */
export const byId = (id) => document.getElementById(id);

/**
 * Makes an element.
 * @param {string} tag
 * @param {object} [properties] `class`, `role` and `aria-…` become attributes, `data` the data set
 * @param {...(Node | string | null)} children
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "data") Object.assign(element.dataset, value);
    else if (/^(class|role|aria-.*)$/u.test(name)) element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** An inline icon, hidden from screen readers: the label beside it speaks. */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "icon");
  svg.innerHTML = ICONS[name];
  return svg;
}

/** Shows an icon at the start of an element, in place of the one before. */
export function setIcon(element, name) {
  if (element.dataset.shown === name) return;
  element.dataset.shown = name;
  element.querySelector(":scope > svg")?.remove();
  element.prepend(icon(name));
}

/** Writes text only if it differs, so that an unchanged tree costs no layout. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Names a button by what a press does now. Such a button has no pressed state: "Mute, pressed" would say the
 * opposite of what is.
 * @param {string} [title] shown on hover, and read as a description
 */
export function setAction(button, label, title = label) {
  button.setAttribute("aria-label", label);
  button.title = title;
}

/** Says something to screen readers without moving the focus. */
export function announce(text) {
  byId("announcer").textContent = text;
}

/** Up to two initials. */
export function initials(name) {
  const words = (name || "?").trim().split(/\s+/u);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters.map((word) => [...word][0] ?? "").join("").toUpperCase() || "?";
}

/** A hue for an avatar, the same for the same name everywhere. */
export function hueOf(name) {
  let hash = 7;
  for (const letter of name ?? "") hash = (hash * 31 + letter.codePointAt(0)) % 3_600;
  return Math.round(hash / 10);
}

/** A round avatar with initials. */
export function avatar(name) {
  const element = make("span", { class: "avatar", "aria-hidden": "true" }, initials(name));
  element.style.setProperty("--hue", hueOf(name));
  return element;
}
