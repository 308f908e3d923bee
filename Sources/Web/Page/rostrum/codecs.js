/** Formats that accompany a codec and are kept whatever is preferred. */
const COMPANIONS = new Set(["video/rtx", "video/red", "video/ulpfec", "video/flexfec-03"]);

/**
 * Orders codecs by preference.
 * @param {RTCRtpCodec[]} codecs what the browser can do
 * @param {string} preferred `VP8`, `VP9`, `H264` or `AV1`
 * @param {"send" | "receive"} direction a sender keeps only the preferred codec, a receiver takes all
 * @returns {RTCRtpCodec[]} empty if the browser doesn't have the codec
 */
export function orderCodecs(codecs, preferred, direction) {
  const wanted = `video/${preferred}`.toLowerCase();
  const first = codecs.filter((codec) => codec.mimeType.toLowerCase() === wanted);
  if (first.length === 0) return [];
  const rest = codecs.filter((codec) => codec.mimeType.toLowerCase() !== wanted);
  const companions = (codec) => direction === "receive" || COMPANIONS.has(codec.mimeType.toLowerCase());
  return [...first, ...rest.filter(companions)];
}

/** Applies a codec preference to a transceiver; a browser that can't is left with its own order. */
export function preferCodec(transceiver, preferred, direction) {
  if (!preferred || typeof transceiver.setCodecPreferences !== "function") return;
  const sources = direction === "send"
    ? [globalThis.RTCRtpSender, globalThis.RTCRtpReceiver]
    : [globalThis.RTCRtpReceiver];
  for (const source of sources) {
    const codecs = orderCodecs(source?.getCapabilities?.("video")?.codecs ?? [], preferred, direction);
    if (codecs.length === 0) continue;
    try {
      transceiver.setCodecPreferences(codecs);
      return;
    } catch {
      // Browsers differ in whether a sender's list may name codecs that can only be sent: try the next.
    }
  }
}

const DEPENDENCY_DESCRIPTOR = "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension";

/**
 * Lets a transceiver receive AV1 in spatial layers, which decoders put together by the dependency descriptor alone. Browsers
 * that know it don't ask for it by themselves; where they don't, the server sends the lowest layer.
 * @param {RTCRtpTransceiver} transceiver before it is offered
 */
export function acceptLayers(transceiver) {
  const extensions = transceiver.getHeaderExtensionsToNegotiate?.() ?? [];
  const descriptor = extensions.find((one) => one.uri === DEPENDENCY_DESCRIPTOR);
  if (!descriptor || descriptor.direction !== "stopped") return;
  descriptor.direction = "sendrecv";
  transceiver.setHeaderExtensionsToNegotiate(extensions);
}
