// What is drawn on the pad, as a picture like those of the data: strokes are kept, so that any size is drawn sharp.

class Drawing {
  constructor() {
    this.strokes = [];  // each a list of [x, y], 0 to 1 across the pad
  }
  get empty() {
    return this.strokes.length === 0;
  }

  // Follows mouse, pen and finger on the canvas; `changed` is called after every move, `begun` before a first stroke.
  listen(canvas, begun, changed) {
    const point = event => {
      const box = canvas.getBoundingClientRect();
      return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    };
    let pointer = null;
    canvas.addEventListener('pointerdown', event => {
      if (pointer !== null || event.button > 0) return;
      pointer = event.pointerId;
      canvas.setPointerCapture(pointer);
      begun();
      this.strokes.push([point(event)]);
      changed();
      event.preventDefault();
    });
    canvas.addEventListener('pointermove', event => {
      if (event.pointerId !== pointer) return;
      for (const part of event.getCoalescedEvents?.() ?? [event]) this.strokes.at(-1).push(point(part));
      changed();
    });
    for (const end of ['pointerup', 'pointercancel'])
      canvas.addEventListener(end, event => {
        if (event.pointerId === pointer) pointer = null;
      });
  }

  // The strokes as they are on the pad, `pen` in shares of its side.
  show(canvas, pen, colour) {
    const context = canvas.getContext('2d');
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.setTransform(canvas.width, 0, 0, canvas.height, 0, 0);
    this.#trace(context, pen, colour);
  }

  // The drawing `box` wide or high in the middle of a picture (shares of its side), white on black: its middle that of its
  // ink (`byMass`, as MNIST has it) or of its box.
  picture(side, {box, pen, byMass}) {
    const fine = 8, canvas = document.createElement('canvas');
    canvas.width = canvas.height = side * fine;
    const context = canvas.getContext('2d', {willReadFrequently: true});
    const points = this.strokes.flat(), xs = points.map(p => p[0]), ys = points.map(p => p[1]);
    const left = Math.min(...xs), right = Math.max(...xs), top = Math.min(...ys), bottom = Math.max(...ys);
    const scale = (box - pen) / Math.max(right - left, bottom - top, 0.15);
    const ink = (dx, dy) => {
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.fillStyle = '#000';
      context.fillRect(0, 0, canvas.width, canvas.height);
      const across = canvas.width * scale;
      context.setTransform(across, 0, 0, across, canvas.width * (0.5 + dx) - across * (left + right) / 2,
                           canvas.width * (0.5 + dy) - across * (top + bottom) / 2);
      this.#trace(context, pen / scale, '#fff');
      return averaged(context.getImageData(0, 0, canvas.width, canvas.width).data, side, fine);
    };
    let pixels = ink(0, 0);
    if (byMass) {
      let mass = 0, x = 0, y = 0;
      pixels.forEach((value, i) => {
        mass += value;
        x += value * (i % side + 0.5);
        y += value * (Math.floor(i / side) + 0.5);
      });
      if (mass > 0) pixels = ink(0.5 - x / mass / side, 0.5 - y / mass / side);
    }
    return {pixels, side, channels: 1, x: side / 2, y: side / 2, size: 1};
  }

  #trace(context, pen, colour) {
    context.lineWidth = pen;
    context.lineCap = context.lineJoin = 'round';
    context.strokeStyle = colour;
    for (const stroke of this.strokes) {
      context.beginPath();
      context.moveTo(...stroke[0]);
      for (const point of stroke) context.lineTo(...point);
      context.stroke();
    }
  }
}

// RGBA of side * fine pixels a side, to grey of `side`.
function averaged(rgba, side, fine) {
  const pixels = new Uint8Array(side * side);
  for (let y = 0; y < side; ++y)
    for (let x = 0; x < side; ++x) {
      let sum = 0;
      for (let j = 0; j < fine; ++j)
        for (let i = 0; i < fine; ++i) sum += rgba[4 * ((y * fine + j) * side * fine + x * fine + i)];
      pixels[y * side + x] = Math.round(sum / (fine * fine));
    }
  return pixels;
}
