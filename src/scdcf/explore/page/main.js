// The page: what is shown at which size and place, and a frame after every change.

const data = JSON.parse(document.getElementById('data').textContent);
const element = id => document.getElementById(id);
const sampling = {antialias: data.antialias, repeat: data.repeat};

// A picture of the page's data, or of the pad.
function pictureOf({pixels, ...rest}) {
  const text = atob(pixels);
  return {...rest, pixels: Uint8Array.from(text, c => c.charCodeAt(0)), side: data.side, channels: data.channels};
}

class Explorer {
  constructor(networks) {
    this.networks = networks;
    [this.first] = networks;
    this.unit = this.first.unit;
    this.pictures = data.pictures.map(pictureOf);
    this.drawing = new Drawing();
    this.answers = new Answers(element('answers'), networks, data.classes);
    this.curve = new Curve(element('curve'), data.classes);
    this.maps = new Maps(element('maps'), element('maps-note'));
    this.shown = {picture: this.pictures[0], size: this.unit, x: 0, y: 0};  // x, y: from the middle, in shares of the side
    this.times = [];
    this.frames = 0;
    this.seen = document.createElement('canvas');
    this.seen.width = this.seen.height = data.side;
    const sizes = [this.unit, ...networks.flatMap(n => n.planes.map(plane => plane.size))];
    this.smallest = Math.max(Math.min(...sizes, this.unit / 2) / 1.3, 2 / data.side);
    this.largest = Math.max(...sizes, this.unit) * 1.2;
  }

  // Shows something else; a frame follows as soon as the one at hand is done.
  show(change) {
    Object.assign(this.shown, change);
    const {shown} = this, within = (value, low, high) => Math.min(Math.max(value, low), high);
    shown.size = within(shown.size, this.smallest, this.largest);
    shown.x = within(shown.x, -0.5, 0.5);
    shown.y = within(shown.y, -0.5, 0.5);
    this.wanted = true;
    this.settled ??= this.#frames().finally(() => this.settled = undefined);
    return this.settled;
  }

  async #frames() {
    while (this.wanted) {
      await new Promise(requestAnimationFrame);
      this.wanted = false;
      await this.#frame();
    }
  }

  image({picture, size, x, y} = this.shown) {
    return place(picture, size / picture.size, data.side * (0.5 + x), data.side * (0.5 + y), sampling);
  }

  async #frame() {
    const shown = {...this.shown}, started = performance.now(), bytes = this.image(shown), looks = [];
    const inside = this.networks[element('maps-network').value], layer = Number(element('maps-layer').value);
    for (const network of this.networks) {
      const before = performance.now(), outputs = network === inside ? Maps.outputs(network, layer) : [];
      const result = await network.run(bytes, [...new Set([...outputs, ...network.places])]);
      looks.push({network, result, reading: network.read(result), ms: performance.now() - before});
    }
    this.looks = looks;
    this.#draw(bytes, shown, looks, inside, layer);
    if (++this.frames <= 3) return;  // compiles, and fills caches
    this.times = [...this.times, {frame: performance.now() - started, networks: looks.map(look => look.ms)}].slice(-20);
    const mean = of => this.times.reduce((sum, time) => sum + of(time), 0) / this.times.length;
    element('speed').textContent = `${mean(t => t.frame).toFixed(1)} ms a frame: ` +
      this.networks.map((n, i) => `${n.name} ${mean(t => t.networks[i]).toFixed(1)} ms`).join(', ') + '; the rest is drawing.';
  }

  #draw(bytes, shown, looks, inside, layer) {
    showPicture(this.seen, bytes);
    const canvas = element('seen'), context = canvas.getContext('2d'), {reading} = looks[0];
    canvas.width = canvas.height = 12 * data.side;
    context.imageSmoothingEnabled = false;
    context.drawImage(this.seen, 0, 0, canvas.width, canvas.width);
    if (reading.place) {  // where objects may be anywhere, it is found
      const side = reading.size * canvas.width;
      context.strokeStyle = '#ffb000';
      context.lineWidth = 3;
      context.strokeRect(reading.place.x * canvas.width - side / 2, reading.place.y * canvas.width - side / 2, side, side);
    }
    this.answers.draw(looks);
    this.answers.say(element('said'), looks, this.unit);
    const warning = Answers.warning(looks[0], shown.size);
    if (element('warning').textContent !== warning) element('warning').textContent = warning;
    this.curve.draw(looks.filter(({result}) => result.planes.length > 0), shown.size, this.unit);
    const look = looks.find(({network}) => network === inside);
    if (look) this.maps.draw(inside, layer, look.result, look.reading.plane);
    element('maps-channels').textContent = this.maps.channels === 0 ? '' :
      `channels ${this.maps.first + 1} to ${Math.min(this.maps.first + kChannelsShown, this.maps.channels)} of ${this.maps.channels}`;
    element('size').value = Math.log2(shown.size);
    element('size-text').textContent = `${shown.size.toFixed(2)} (${shortNumber(shown.size / this.unit)}×)`;
    for (const axis of ['x', 'y']) {
      element(axis).value = shown[axis];
      element(`${axis}-text`).textContent = `${(shown[axis] * data.side).toFixed(1)} px`;
    }
  }

  // The largest difference to the program's scores of the same weights, relative to the largest score; of the pictures that
  // the program has scored.
  async agreement() {
    let worst = 0;
    for (const check of data.checks) {
      const bytes = this.image({...check, picture: this.pictures[check.picture]});
      for (const [n, network] of this.networks.entries()) {
        const {scores} = await network.run(bytes), expected = check.scores[n];
        const largest = Math.max(...expected.map(Math.abs));
        worst = Math.max(worst, ...scores.map((score, c) => Math.abs(score - expected[c]) / largest));
      }
    }
    return worst;
  }
}

function showPicture(canvas, bytes) {
  const area = data.side * data.side, context = canvas.getContext('2d'), image = context.createImageData(data.side, data.side);
  for (let i = 0; i < area; ++i) {
    for (let c = 0; c < 3; ++c) image.data[4 * i + c] = bytes[data.channels === 3 ? c * area + i : i];
    image.data[4 * i + 3] = 255;
  }
  context.putImageData(image, 0, 0);
}

async function start() {
  if (!globalThis.DecompressionStream) throw new Error('this browser cannot unpack the networks; one from 2023 on can');
  const ort = await startRuntime(), networks = [];
  for (const about of data.networks) networks.push(await PageNetwork.load(ort, about));
  const explorer = new Explorer(networks);
  element('main').hidden = false;
  connect(explorer);
  for (let i = 0; i < 5; ++i) await explorer.show({});
  element('status').hidden = true;
  const difference = await explorer.agreement();
  element('agreement').textContent = `Scores differ from the program's by ${difference.toExponential(0)} of the largest, over ` +
    `${data.checks.length} pictures. ${data.made}`;
  return explorer;
}

globalThis.scdcf = {};
scdcf.ready = start().then(explorer => Object.assign(scdcf, {explorer}));
scdcf.ready.catch(error => element('status').textContent = `The networks could not be started: ${error.message}`);
