import { hideBanner, showBanner } from "./banners.js";
import { byId, make } from "./dom.js";

/** One audio element a seat: a seat's sound never changes its element, whoever sits there. */
export class Voices {
  #elements = new Map();

  /** @param {import("/rostrum.js").RostrumClient} client */
  constructor(client) {
    this.client = client;
  }

  /** Plays every audio seat that has a track. */
  render() {
    for (const seat of this.client.seats) {
      if (seat.kind !== "audio" || !seat.track) continue;
      let element = this.#elements.get(seat.mid);
      if (!element) {
        element = make("audio", { autoplay: true, data: { mid: seat.mid } });
        byId("voices").append(element);
        this.#elements.set(seat.mid, element);
      }
      if (element.srcObject?.getTracks()[0] !== seat.track) {
        element.srcObject = new MediaStream([seat.track]);
        this.#play(element);
      }
    }
  }

  /** Ends all sound. */
  close() {
    for (const element of this.#elements.values()) {
      element.srcObject = null;
      element.remove();
    }
    this.#elements.clear();
    hideBanner("sound");
  }

  async #play(element) {
    try {
      await element.play();
    } catch (error) {
      if (error.name !== "NotAllowedError") return;
      showBanner("sound", "The browser waits for a click before it plays sound.", {
        action: "Hear the others",
        onAction: () => this.#elements.forEach((one) => this.#play(one)),
      });
    }
  }
}
