import { byId } from "./dom.js";

/** The side panel with its two tabs. */
export class Panel {
  #onShow;
  #tab = "chat";

  /** @param {(tab: "chat" | "people") => void} onShow a tab came on show */
  constructor(onShow) {
    this.#onShow = onShow;
    for (const tab of ["chat", "people"]) {
      byId(`${tab}-toggle`).onclick = () => (this.shows(tab) ? this.close() : this.open(tab));
      byId(`tab-${tab}`).onclick = () => this.open(tab);
      byId(`tab-${tab}`).onkeydown = ({ key }) => {
        if (key === "ArrowLeft" || key === "ArrowRight") this.open(tab === "chat" ? "people" : "chat", true);
      };
    }
    byId("panel-close").onclick = () => this.close();
    this.#paint(false);
  }

  /** Is this tab on show? */
  shows(tab) {
    return !byId("panel").hidden && this.#tab === tab;
  }

  /** Shows a tab. */
  open(tab, keepFocusOnTabs = false) {
    this.#tab = tab;
    this.#paint(true);
    this.#onShow(tab);
    if (keepFocusOnTabs) byId(`tab-${tab}`).focus();
    else if (tab === "chat" && matchMedia("(hover: hover)").matches) byId("chat-text").focus();
  }

  /** Hides the panel and gives the focus back to the button that opened it. */
  close() {
    if (byId("panel").hidden) return;
    const inside = byId("panel").contains(document.activeElement);
    this.#paint(false);
    if (inside) byId(`${this.#tab}-toggle`).focus();
  }

  #paint(visible) {
    byId("panel").hidden = !visible;
    for (const tab of ["chat", "people"]) {
      const selected = this.#tab === tab;
      byId(tab).hidden = !selected;
      byId(`tab-${tab}`).setAttribute("aria-selected", String(selected));
      byId(`tab-${tab}`).tabIndex = selected ? 0 : -1;
      byId(`${tab}-toggle`).setAttribute("aria-expanded", String(visible && selected));
    }
  }
}
