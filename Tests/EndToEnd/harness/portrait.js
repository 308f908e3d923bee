// A camera for the README's picture: somebody who is drawn. `portrait` is set before: {hue, skin, hair}.
navigator.mediaDevices.getUserMedia = async () => {
  const { hue, skin, hair, shirt } = window.portrait;
  const canvas = Object.assign(document.createElement("canvas"), { width: 1_280, height: 960 });
  const pen = canvas.getContext("2d");
  const ellipse = (color, ...shape) => {
    pen.fillStyle = color;
    pen.beginPath();
    pen.ellipse(...shape, 0, 0, 2 * Math.PI);
    pen.fill();
  };
  const draw = () => {
    const sway = 14 * Math.sin(performance.now() / 900 + hue);
    const light = pen.createRadialGradient(880, 180, 80, 640, 480, 980);
    light.addColorStop(0, `hsl(${hue} 45% 82%)`);
    light.addColorStop(1, `hsl(${hue} 38% 42%)`);
    pen.fillStyle = light;
    pen.fillRect(0, 0, 1_280, 960);
    ellipse(hair, 640 + sway, 420, 190, 225);
    ellipse(shirt, 640, 1_040, 420, 330);
    ellipse(skin, 640 + sway / 2, 690, 82, 110);
    ellipse(skin, 640 + sway, 470, 152, 192);
    pen.save();
    pen.beginPath();
    pen.rect(420, 180, 440, 185);
    pen.clip();
    ellipse(hair, 640 + sway, 430, 176, 200);
    pen.restore();
    for (const side of [-1, 1]) ellipse("#22252e", 640 + sway + side * 58, 475, 14, 17);
    pen.strokeStyle = "#7c3b36";
    pen.lineWidth = 11;
    pen.lineCap = "round";
    pen.beginPath();
    pen.arc(640 + sway, 540, 56, 0.25 * Math.PI, 0.75 * Math.PI);
    pen.stroke();
  };
  draw();
  setInterval(draw, 66);
  return canvas.captureStream(15);
};
