// Runs in a page after page.js: a microphone that hears a room, and sentences when they are said.
// `endToEnd.speech` is set before: {noise: dBov of the room, sentences: [{rate, samples}]}, see speech.py.
(() => {
  const mine = window.endToEnd;
  const { noise, sentences } = mine.speech;
  // Of a sentence, its pauses included: what telephones are set to.
  const SPEECH = -26;
  const context = new AudioContext({ sampleRate: 48_000 });
  const microphone = new MediaStreamAudioDestinationNode(context, { channelCount: 1 });
  const now = () => performance.timeOrigin + performance.now();

  const room = new AudioBufferSourceNode(context, { buffer: hiss(), loop: true });
  room.connect(microphone);
  room.start();

  // Whoever has it may stop it.
  mine.microphone = () => microphone.stream.getAudioTracks()[0].clone();

  /** Says a sentence; {from, to} are when it began and ended, ms since 1970. */
  mine.say = (number) => new Promise((said) => {
    const source = new AudioBufferSourceNode(context, { buffer: sound(sentences[number]) });
    source.connect(microphone);
    const from = now();
    source.onended = () => said({ from, to: now() });
    source.start();
  });

  function sound({ rate, samples }) {
    const bytes = Uint8Array.from(atob(samples), (one) => one.charCodeAt(0));
    const numbers = Float32Array.from(new Int16Array(bytes.buffer), (one) => one / 32_768);
    return buffer(numbers, rate, SPEECH);
  }

  /** Four seconds as a fan makes them: most of it is low. */
  function hiss() {
    let last = 0;
    const numbers = Float32Array.from({ length: 4 * 48_000 }, () => (last += (Math.random() - 0.5 - last) / 16));
    return buffer(numbers, 48_000, noise);
  }

  /** A sound with this loudness, in dBov. */
  function buffer(numbers, rate, loudness) {
    const power = numbers.reduce((sum, one) => sum + one * one, 0) / numbers.length;
    const gain = 10 ** (loudness / 20) / Math.sqrt(power);
    const made = context.createBuffer(1, numbers.length, rate);
    made.copyToChannel(numbers.map((one) => one * gain), 0);
    return made;
  }

  // Who was marked as speaking, and since when: {participantIds, at}, at in ms since 1970.
  mine.marks = [];
  const observe = () => new MutationObserver(() => {
    const marked = [...document.querySelectorAll('.tile[data-speaking="true"]')];
    const participantIds = marked.map((tile) => tile.dataset.participant);
    if (`${participantIds}` !== `${mine.marks.at(-1)?.participantIds ?? ""}`) mine.marks.push({ participantIds, at: now() });
  }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["data-speaking"], childList: true });
  if (document.body) observe();
  else document.addEventListener("DOMContentLoaded", observe);
})();
