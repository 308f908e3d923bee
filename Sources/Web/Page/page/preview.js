import { byId, setAction, setIcon } from "./dom.js";

/**
 * Shows the own picture before the meeting, and what the two switches under it do now.
 * @param {boolean} microphone is it on?
 * @param {MediaStreamTrack | null} camera null: off
 */
export function showPreview(microphone, camera) {
  const mic = byId("preview-mic");
  const filming = byId("preview-camera");
  setIcon(mic, microphone ? "mic" : "micOff");
  setIcon(filming, camera ? "camera" : "cameraOff");
  setAction(mic, `Turn microphone ${microphone ? "off" : "on"}`);
  setAction(filming, `Turn camera ${camera ? "off" : "on"}`);
  mic.dataset.off = !microphone;
  filming.dataset.off = camera === null;
  byId("preview").dataset.camera = camera ? "on" : "off";
  const video = byId("preview-video");
  const [shown = null] = video.srcObject?.getTracks() ?? [];
  if (shown !== camera) video.srcObject = camera ? new MediaStream([camera]) : null;
}
