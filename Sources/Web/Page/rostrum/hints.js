/**
 * Does what the server asks of the encodings that are sent (`publishHint`): by their parameters alone, without an offer.
 * Layers that nobody watches cost upstream and battery.
 */
export class EncodingHints {
  /** Bitrate limits that the application gave, by sender and rid. @type {WeakMap<RTCRtpSender, Map<string, number>>} */
  #own = new WeakMap();
  #queue = Promise.resolve();

  /**
   * @param {Iterable<RTCRtpTransceiver>} transceivers of what is sent
   * @param {{mid: string, rid?: string, active?: boolean, maxBitrateBps?: number}[]} hints
   * @returns {Promise<void>} one after the other: each stands on the parameters that the last one left
   */
  apply(transceivers, hints) {
    const senders = [...transceivers].map(({ mid, sender }) => [
      sender, hints.filter((hint) => String(hint.mid) === mid),
    ]);
    this.#queue = this.#queue.then(async () => {
      for (const [sender, mine] of senders) {
        // A sender that has ended meanwhile refuses; the others still want to know.
        if (mine.length > 0) await this.#applyTo(sender, mine).catch(() => {});
      }
    });
    return this.#queue;
  }

  async #applyTo(sender, hints) {
    const parameters = sender.getParameters();
    const encodings = parameters.encodings ?? [];
    const own = this.#ownLimits(sender, encodings);
    let isNews = false;
    for (const encoding of encodings) {
      const hint = hints.find((one) => (one.rid ?? "") === (encoding.rid ?? ""));
      if (!hint) continue;
      const { active = true, maxBitrate } = encoding;
      encoding.active = hint.active ?? active;
      const limit = Math.min(hint.maxBitrateBps ?? Infinity, own.get(encoding.rid ?? "") ?? Infinity);
      if (limit < Infinity) encoding.maxBitrate = limit;
      else delete encoding.maxBitrate;
      isNews ||= encoding.active !== active || encoding.maxBitrate !== maxBitrate;
    }
    if (isNews) await sender.setParameters(parameters);
  }

  #ownLimits(sender, encodings) {
    if (!this.#own.has(sender)) {
      this.#own.set(sender, new Map(encodings.map(({ rid = "", maxBitrate }) => [rid, maxBitrate])));
    }
    return this.#own.get(sender);
  }
}
