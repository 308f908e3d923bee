import { byId, make, setText } from "./dom.js";

let answer = null;

/**
 * Asks before something is done; one question at a time.
 * @param {object} question
 * @param {string} question.title
 * @param {string} [question.text]
 * @param {object[]} [question.fields] see `field`
 * @param {string} question.action what the button says that does it
 * @param {boolean} [question.danger]
 * @returns {Promise<Record<string, string | boolean> | null>} by field; null: better not
 */
export function ask({ title, text = "", fields = [], action, danger = false }) {
  const dialog = byId("dialog");
  answer?.(null);
  setText(byId("dialog-title"), title);
  setText(byId("dialog-text"), text);
  byId("dialog-text").hidden = text === "";
  setText(byId("dialog-confirm"), action);
  byId("dialog-confirm").dataset.danger = danger;
  byId("dialog-fields").replaceChildren(...fields.map(field));
  showDependents();
  const before = document.activeElement;
  return new Promise((resolve) => {
    answer = (values) => {
      answer = null;
      dialog.close();
      if (document.activeElement === document.body && before?.isConnected) before.focus();
      resolve(values);
    };
    dialog.showModal();
    byId("dialog-fields").querySelector(":checked[type=radio]")?.focus();
    // What can't be undone is not what Enter does by itself.
    if (fields.length === 0 && danger) byId("dialog-cancel").focus();
  });
}

/** Closes the question that is open, as if cancelled. */
export function dismiss() {
  answer?.(null);
}

/** Hooks up the dialog's own controls, once. */
export function prepareDialog() {
  const dialog = byId("dialog");
  byId("dialog-form").onsubmit = (event) => {
    event.preventDefault();
    answer?.(values());
  };
  byId("dialog-cancel").onclick = () => answer?.(null);
  dialog.oncancel = (event) => {
    event.preventDefault();
    answer?.(null);
  };
  byId("dialog-fields").onchange = showDependents;
}

function inputs() {
  return [...byId("dialog-fields").querySelectorAll("[data-field]")];
}

function values() {
  const all = {};
  for (const input of inputs()) {
    const { field: name } = input.dataset;
    if (input.type === "checkbox") all[name] = input.checked;
    else if (input.type !== "radio") all[name] = input.value.trim();
    else if (input.checked) all[name] = input.value;
  }
  return all;
}

/** Some fields matter only with a certain answer in another one. */
function showDependents() {
  const given = values();
  for (const one of byId("dialog-fields").querySelectorAll("[data-with]")) {
    const [name, value] = one.dataset.with.split("=");
    one.hidden = given[name] !== value;
    for (const input of one.querySelectorAll("[data-field]")) input.disabled = one.hidden;
  }
}

/**
 * A labelled field.
 * @param {{kind: "text" | "number" | "check" | "choice" | "menu", name: string, label: string,
 *   value?: string | boolean, hint?: string, options?: [string, string, string?][], with?: string,
 *   limits?: object}} spec `with`: `name=value` of the field that brings this one up; `limits`: further
 *   properties of the input
 */
function field(spec) {
  const made = MAKERS[spec.kind](spec);
  if (spec.with) made.dataset.with = spec.with;
  return made;
}

const MAKERS = {
  text: (spec) => labelled(spec, make("input", input(spec, { type: "text", autocomplete: "off" }))),
  number: (spec) => labelled(spec, make("input", input(spec, { type: "number", inputMode: "numeric" }))),
  menu: (spec) => {
    const options = spec.options.map(([value, label]) => make("option", { value }, label));
    const select = make("select", { data: { field: spec.name } }, ...options);
    select.value = spec.value;
    return labelled(spec, select);
  },
  check: (spec) => {
    const box = make("input", { type: "checkbox", checked: spec.value === true, data: { field: spec.name } });
    return make("label", { class: "check" }, box, text(spec.label, spec.hint));
  },
  choice: (spec) => make("fieldset", {}, make("legend", {}, spec.label),
    ...spec.options.map(([value, label, hint]) => make("label", { class: "check" },
      make("input", {
        type: "radio", name: spec.name, value, checked: value === spec.value, data: { field: spec.name },
      }), text(label, hint)))),
};

function input({ name, value = "", limits = {} }, more) {
  return { ...more, ...limits, value, data: { field: name } };
}

function labelled({ label, hint }, control) {
  return make("label", { class: "field" }, text(label, hint), control);
}

function text(label, hint) {
  return make("span", {}, label, hint ? make("small", {}, hint) : null);
}
