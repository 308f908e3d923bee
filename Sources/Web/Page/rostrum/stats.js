/**
 * Boils `getStats()` down to what one wants to know of a meeting.
 * @param {Iterable<object>} reports the values of an `RTCStatsReport`
 * @param {import("./seats.js").Seat[]} seats
 * @returns {{path: object | null, sent: object[], seats: object[]}}
 */
export function summarise(reports, seats) {
  const all = [...reports];
  const byMid = new Map();
  const sent = [];
  let path = null;
  for (const report of all) {
    if (report.type === "inbound-rtp") byMid.set(report.mid ?? report.trackIdentifier, report);
    if (report.type === "outbound-rtp") {
      sent.push(pick(report, [
        "mid", "kind", "rid", "active", "bytesSent", "packetsSent", "retransmittedPacketsSent",
        "framesEncoded", "frameWidth", "frameHeight", "framesPerSecond", "nackCount", "pliCount",
        "targetBitrate",
      ]));
    }
    if (report.type === "candidate-pair" && report.nominated && report.state === "succeeded") {
      path = pick(report, ["currentRoundTripTime", "availableOutgoingBitrate", "bytesSent", "bytesReceived"]);
    }
  }
  return {
    path,
    sent,
    seats: seats.map((seat) => ({
      mid: seat.mid, kind: seat.kind, participantId: seat.participantId, source: seat.source,
      ...pick(byMid.get(seat.mid) ?? byMid.get(seat.track?.id) ?? {}, [
        "bytesReceived", "packetsReceived", "packetsLost", "jitter", "framesDecoded", "framesDropped",
        "keyFramesDecoded", "frameWidth", "frameHeight", "framesPerSecond", "freezeCount",
        "totalFreezesDuration", "audioLevel", "totalAudioEnergy", "concealedSamples", "totalSamplesReceived",
        "nackCount", "pliCount", "retransmittedPacketsReceived",
      ]),
    })),
  };
}

function pick(report, keys) {
  return Object.fromEntries(keys.filter((key) => key in report).map((key) => [key, report[key]]));
}
