// Runs in each page before its own scripts: small pictures, a voice of its own, and what tests measure.
// `endToEnd` is set before: {voiceHz, width, height, frameRate, tcpOnly, encodings, isBusy, mediaHost}.
(() => {
  const mine = window.endToEnd;
  const devices = navigator.mediaDevices;
  if (!devices) return;

  // Devices

  const openDevice = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async (asked) => {
    const tracks = [];
    if (asked.audio) tracks.push(mine.microphone?.() ?? voice(mine.voiceHz));
    if (asked.video && mine.isBusy) tracks.push(busyPicture());
    else if (asked.video) tracks.push(...(await openDevice({ video: pictureSize() })).getTracks());
    return new MediaStream(tracks);
  };

  function pictureSize() {
    const { width, height, frameRate } = mine;
    return { width: { exact: width }, height: { exact: height }, frameRate: { ideal: frameRate } };
  }

  /** Blocks of faint noise that jump about: it takes what an encoder may spend, and no more than that. */
  function busyPicture() {
    const { width, height, frameRate } = mine;
    const noise = new OffscreenCanvas(width / 4, height / 4);
    const grains = noise.getContext("2d").createImageData(noise.width, noise.height);
    grains.data.forEach((_, place, all) => { all[place] = place % 4 === 3 ? 255 : 100 + Math.random() * 56; });
    noise.getContext("2d").putImageData(grains, 0, 0);
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const picture = canvas.getContext("2d");
    setInterval(() => {
      picture.drawImage(
        noise, -Math.random() * width, -Math.random() * height, width * 2, height * 2);
    }, 1_000 / frameRate);
    return canvas.captureStream(frameRate).getVideoTracks()[0];
  }

  /** A tone that swells four times a second, as syllables do: speech to whoever looks at levels only. */
  function voice(hertz) {
    const context = new AudioContext({ sampleRate: 48_000 });
    const tone = new OscillatorNode(context, { frequency: hertz });
    const swell = new OscillatorNode(context, { frequency: 4 });
    const volume = new GainNode(context, { gain: 0.25 });
    const depth = new GainNode(context, { gain: 0.2 });
    const out = new MediaStreamAudioDestinationNode(context, { channelCount: 1 });
    swell.connect(depth).connect(volume.gain);
    tone.connect(volume).connect(out);
    tone.start();
    swell.start();
    return out.stream.getAudioTracks()[0];
  }

  // The network

  if (mine.encodings) {
    const add = RTCPeerConnection.prototype.addTransceiver;
    RTCPeerConnection.prototype.addTransceiver = function (what, init) {
      const isCamera = what?.kind === "video" && init?.direction === "sendonly";
      return add.call(this, what, isCamera ? { ...init, sendEncodings: mine.encodings } : init);
    };
  }

  if (mine.mediaHost) {
    const accept = RTCPeerConnection.prototype.setRemoteDescription;
    RTCPeerConnection.prototype.setRemoteDescription = function ({ type, sdp }) {
      const candidate = /^(a=candidate:\S+ \d+ udp \d+ )\S+/gimu;
      return accept.call(this, { type, sdp: sdp.replace(candidate, `$1${mine.mediaHost}`) });
    };
  }

  if (mine.tcpOnly) {
    const accept = RTCPeerConnection.prototype.setRemoteDescription;
    RTCPeerConnection.prototype.setRemoteDescription = function (description) {
      const lines = description.sdp.split("\r\n");
      const kept = lines.filter((line) => !/^a=candidate:\S+ \d+ udp /iu.test(line));
      return accept.call(this, { type: description.type, sdp: kept.join("\r\n") });
    };
  }

  // What is measured

  /** How many offers the browser has made, whoever asked for them. */
  mine.offers = 0;
  const settle = RTCPeerConnection.prototype.setLocalDescription;
  RTCPeerConnection.prototype.setLocalDescription = async function (...description) {
    await settle.apply(this, description);
    if (this.signalingState === "have-local-offer") mine.offers += 1;
  };

  /** Inbound streams of the seats that somebody sits in, with codec and occupant. */
  mine.received = async () => {
    const report = await rostrum.peerConnection.getStats();
    const seats = new Map(rostrum.seats.map((seat) => [seat.mid, seat]));
    return [...report.values()].filter((one) => one.type === "inbound-rtp").map((one) => {
      const { participantId = null, source = null } = seats.get(one.mid) ?? {};
      return { ...one, participantId, source, codec: report.get(one.codecId)?.mimeType };
    });
  };

  /** One seat's inbound stream, or {}. */
  mine.seat = async (participantId, source) =>
    (await mine.received()).find((one) => one.participantId === participantId && one.source === source) ?? {};

  /** Outbound streams. */
  mine.sent = async () => {
    const report = await rostrum.peerConnection.getStats();
    return [...report.values()].filter((one) => one.type === "outbound-rtp").map((one) => (
      { ...one, codec: report.get(one.codecId)?.mimeType }));
  };

  /** The candidate pair in use: {protocol, address, port, tcpType}. */
  mine.path = async () => {
    const report = await rostrum.peerConnection.getStats();
    const pair = [...report.values()].find((one) => one.type === "candidate-pair" && one.nominated);
    const { protocol, address, port, tcpType } = report.get(pair?.remoteCandidateId) ?? {};
    return { protocol, address, port, tcpType };
  };

  let listening = null;
  const ears = new WeakMap();

  /** The loudest frequency in what arrives in somebody's audio seat, in hertz; 0 if there is silence. */
  mine.pitch = (participantId, source = "microphone") => {
    const track = rostrum.seatOf(participantId, source)?.track;
    if (!track) return 0;
    listening ??= new AudioContext({ sampleRate: 48_000 });
    if (!ears.has(track)) {
      const ear = new AnalyserNode(listening, { fftSize: 8_192, smoothingTimeConstant: 0 });
      listening.createMediaStreamSource(new MediaStream([track])).connect(ear);
      ears.set(track, ear);
    }
    const spectrum = new Float32Array(4_096);
    ears.get(track).getFloatFrequencyData(spectrum);
    const loudest = spectrum.reduce((best, level, bin) => (level > spectrum[best] ? bin : best), 0);
    return spectrum[loudest] < -70 ? 0 : loudest * 48_000 / 8_192;
  };

  /** When frames were shown in each tile: participantId/source → times, ms since the click on "Join". */
  mine.shown = {};
  mine.joinedAt = null;
  document.addEventListener("submit", () => { mine.joinedAt = performance.now(); }, true);
  /** Called with each frame shown in a tile: (participantId/source, its metadata). */
  mine.onFrame = null;
  const watch = (video) => video.requestVideoFrameCallback((now, metadata) => {
    const { participant, source, own } = video.closest(".tile")?.dataset ?? {};
    if (participant && own === "false") {
      (mine.shown[`${participant}/${source}`] ??= []).push(now - mine.joinedAt);
      mine.onFrame?.(`${participant}/${source}`, metadata);
    }
    watch(video);
  });
  const observe = () => new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) {
        if (node instanceof Element && node.matches(".tile")) node.querySelectorAll("video").forEach(watch);
      }
    }
  }).observe(document.body, { childList: true, subtree: true });
  if (document.body) observe();
  else document.addEventListener("DOMContentLoaded", observe);

  // Events of the API, in order, with when they came: ms since 1970.
  mine.events = [];
  let client = null;
  Object.defineProperty(window, "rostrum", {
    get: () => client,
    set: (value) => {
      client = value;
      client.addEventListener("event", ({ detail }) => {
        mine.events.push({ ...detail, receivedAt: performance.timeOrigin + performance.now() });
      });
    },
  });
})();
