// Pictures at another size and place, byte for byte as the program makes them (src/scdcf/pixels/resize.cpp says how).

function keysKernel(t) {
  const a = -0.75;
  t = Math.abs(t);
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

// One axis: out[i] = sum over k of weights[i * taps + k] in[first[i] + k]; the object's centre `from` goes to `to`.
function axisMap(size, factor, from, to, {antialias, repeat}) {
  const stretch = antialias ? Math.max(1, 1 / factor) : 1, reach = Math.ceil(4 * stretch), taps = Math.min(reach, size);
  const first = new Int32Array(size), weights = new Float64Array(size * taps);
  for (let i = 0; i < size; ++i) {
    let position = from - 0.5 + (i + 0.5 - to) / factor;
    if (repeat) position = Math.min(Math.max(position, -1), size);  // beyond that all is border
    if (position <= -2 * stretch || position >= size - 1 + 2 * stretch) continue;
    const left = Math.floor(position - 2 * stretch) + 1;
    first[i] = Math.min(Math.max(left, 0), size - taps);
    let sum = 1;
    if (stretch > 1) {
      sum = 0;
      for (let tap = left; tap < left + reach; ++tap) sum += keysKernel((position - tap) / stretch);
    }
    for (let tap = left; tap < left + reach; ++tap) {
      if (!repeat && (tap < 0 || tap >= size)) continue;
      const column = Math.min(Math.max(tap, 0), size - 1) - first[i];
      weights[i * taps + column] += keysKernel((position - tap) / stretch) / sum;
    }
  }
  return {taps, first, weights};
}

// `picture`: {pixels: [channels][side][side] bytes, side, channels, x, y: the object's centre}; its object `factor` times
// as large, with its centre at (x, y) of a picture of the same side.
function place(picture, factor, x, y, how) {
  const {pixels, side, channels} = picture;
  const columns = axisMap(side, factor, picture.x, x, how), rows = axisMap(side, factor, picture.y, y, how);
  const result = new Uint8Array(pixels.length), half = new Float64Array(side * side);
  for (let c = 0; c < channels; ++c) {
    const start = c * side * side;
    for (let j = 0; j < side; ++j)
      for (let i = 0; i < side; ++i) {
        let sum = 0;
        for (let k = 0; k < columns.taps; ++k)
          sum += columns.weights[i * columns.taps + k] * pixels[start + j * side + columns.first[i] + k];
        half[j * side + i] = sum;
      }
    for (let j = 0; j < side; ++j)
      for (let i = 0; i < side; ++i) {
        let sum = 0;
        for (let k = 0; k < rows.taps; ++k) sum += rows.weights[j * rows.taps + k] * half[(rows.first[j] + k) * side + i];
        result[start + j * side + i] = Math.floor(Math.min(Math.max(sum, 0), 255) + 0.5);
      }
  }
  return result;
}
