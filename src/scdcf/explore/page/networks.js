// The networks, run by ONNX Runtime Web. What the page holds packed stands in elements of their own: gzip, base64.

async function unpacked(id) {
  const text = atob(document.getElementById(id).textContent), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function startRuntime() {
  const [source, wasm] = await Promise.all([unpacked('runtime'), unpacked('wasm')]);
  const address = URL.createObjectURL(new Blob([source], {type: 'text/javascript'}));
  const ort = await import(address);
  URL.revokeObjectURL(address);
  ort.env.wasm.numThreads = 1;  // more would need a server
  ort.env.wasm.wasmBinary = wasm;
  return ort;
}

class PageNetwork {
  static async load(ort, about) {
    const network = new PageNetwork();
    Object.assign(network, about);  // what explore.cpp tells of it
    network.ort = ort;
    network.session = await ort.InferenceSession.create(await unpacked(about.model));
    return network;
  }

  // Of a picture's bytes [channels, side, side]: {scores, planes: [plane][class], maps: {output: {dims, data}}}. `outputs`:
  // those of the maps that are wanted.
  async run(bytes, outputs = []) {
    const area = this.side * this.side, values = new Float32Array(bytes.length);
    for (let i = 0; i < bytes.length; ++i) {
      const c = Math.floor(i / area);
      values[i] = Math.fround(this.offset[c] + Math.fround(bytes[i] * this.factor[c]));
    }
    const input = new this.ort.Tensor('float32', values, [1, this.channels, this.side, this.side]);
    const wanted = ['scores', ...(this.planes.length > 0 ? ['planes'] : []), ...outputs];
    const found = await this.session.run({[this.session.inputNames[0]]: input}, wanted);
    const result = {scores: [...found.scores.data], planes: [], maps: {}};
    const count = this.planes.length;
    for (let s = 0; s < count; ++s) result.planes.push(result.scores.map((_, c) => found.planes.data[c * count + s]));
    for (const name of outputs) result.maps[name] = {dims: found[name].dims, data: found[name].data};
    return result;
  }

  // What is read off the scores: the class, the plane of its highest score, the size between planes, and -1 or 1 where the
  // score peaks before the first plane or behind the last; as models::Network::read has it. Where objects may be anywhere,
  // the place too.
  read({scores, planes, maps}) {
    const label = scores.indexOf(Math.max(...scores));
    if (planes.length === 0) return {label};
    const curve = planes.map(plane => plane[label]), last = curve.length - 1;
    const plane = curve.indexOf(Math.max(...curve));
    let peak = plane;
    if (last >= 2) {
      const middle = Math.min(Math.max(plane, 1), last - 1), [before, here, after] = curve.slice(middle - 1, middle + 2);
      const bend = 2 * here - before - after, lean = (after - before) / 2;
      peak = middle + (bend > 0 ? lean / bend : 1e6 * lean);
    }
    const between = Math.min(Math.max(peak - plane, -0.5), 0.5);
    const size = this.planes[0].size * 2 ** ((plane + between) * this.step);
    const place = this.places.length > 0 ? this.#highest(maps[this.places[plane]], label, this.planes[plane].seen) : undefined;
    return {label, plane, size, place, beyond: (peak > last + 0.5) - (peak < -0.5)};
  }

  // Where a map of the middle part `seen` of the picture is highest, in shares of the picture's side.
  #highest({dims, data}, channel, seen) {
    const [height, width] = dims.slice(-2), map = data.subarray(channel * height * width, (channel + 1) * height * width);
    let best = 0;
    map.forEach((value, i) => best = value > map[best] ? i : best);
    const share = (at, count) => 0.5 + ((at + 0.5) / count - 0.5) * seen;
    return {x: share(best % width, width), y: share(Math.floor(best / width), height)};
  }
}

function softmax(scores) {
  const highest = Math.max(...scores), powers = scores.map(s => Math.exp(s - highest));
  const sum = powers.reduce((a, b) => a + b);
  return powers.map(p => p / sum);
}
