import { byId, setText } from "./dom.js";
import { List } from "./list.js";
import { Person } from "./person.js";

/** The lists of participants: raised hands in their order, then everybody in join order. */
export class People {
  #client;
  #moderation;
  #lists;

  /**
   * @param {import("/rostrum.js").RostrumClient} client
   * @param {import("./moderation.js").Moderation} moderation
   */
  constructor(client, moderation) {
    this.#client = client;
    this.#moderation = moderation;
    this.#lists = Object.fromEntries(["hands", "people"].map((name) => {
      byId(`${name}-list`).replaceChildren();
      return [name, new List(byId(`${name}-list`), () => new Person(moderation), byId(`${name}-title`))];
    }));
  }

  render() {
    const { participants, hands } = this.#client;
    setText(byId("people-count"), String(participants.length));
    byId("people-toggle").setAttribute("aria-label", `People, ${participants.length} in the meeting`);
    if (byId("panel").hidden || byId("people").hidden) return;
    const raised = hands.map((id) => this.#client.participant(id)).filter((one) => one !== null);
    if (raised.length === 0 && byId("hands").contains(document.activeElement)) byId("people-title").focus();
    byId("hands").hidden = raised.length === 0;
    this.#show("hands", raised);
    this.#show("people", participants);
    this.#moderation.settle();
  }

  #show(name, participants) {
    this.#lists[name].show(participants.map((one) => [one.participantId, this.#facts(one)]));
  }

  /** What a list shows of somebody. */
  #facts(one) {
    const { participantId, audioOn, videoOn, hands } = this.#client;
    const own = one.participantId === participantId;
    return {
      one, own, place: hands.indexOf(one.participantId) + 1,
      audio: own ? audioOn : !one.audioMuted, video: own ? videoOn : !one.videoPaused,
    };
  }
}
