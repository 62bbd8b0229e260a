// The scores of every class at every plane as curves over the size of the objects at home there, hand-drawn as SVG.

class Curve {
  constructor(svg, classes) {
    this.svg = svg;
    this.classes = classes;
    this.forget();
  }
  // The range of scores grows with what was shown, so that the axis stays put while a curve moves.
  forget() {
    this.low = this.high = undefined;
  }

  // looks: [{network, result, reading}], those with planes; `shown`: the size of the object; `unit`: the size trained on.
  draw(looks, shown, unit) {
    const width = this.svg.clientWidth, height = this.svg.clientHeight;
    if (looks.length === 0 || width === 0) return;
    const left = 48, right = 14, top = 26, bottom = 44, first = looks[0].network;
    const values = looks.flatMap(({result}) => result.planes.flat());
    this.low = Math.min(this.low ?? Infinity, ...values);
    this.high = Math.max(this.high ?? -Infinity, ...values);
    const sizes = looks.flatMap(({network}) => network.planes.map(plane => plane.size));
    const from = Math.log2(Math.min(...sizes)) - 0.12, to = Math.log2(Math.max(...sizes)) + 0.12;
    const room = 0.08 * (this.high - this.low || 1);
    const x = size => left + (Math.log2(size) - from) / (to - from) * (width - left - right);
    const y = score => height - bottom - (score - this.low + room) / (this.high - this.low + 2 * room) * (height - top - bottom);
    const parts = [];
    const text = (tx, ty, anchor, words, more = '') =>
      parts.push(`<text x="${tx}" y="${ty}" text-anchor="${anchor}" ${more}>${escaped(words)}</text>`);
    if (first.trained) {
      const [a, b] = first.trained.map(size => Math.min(Math.max(x(size), left), width - right));
      parts.push(`<rect class="shade" x="${Math.min(a, b - 4)}" y="${top}" width="${Math.max(b - a, 4)}" height="${height - top - bottom}"/>`);
      text((a + b) / 2, height - bottom - 7, 'middle', 'trained on');
    }
    for (const value of ticks(this.low, this.high, 5)) {
      parts.push(`<path class="grid" d="M${left} ${y(value)}H${width - right}"/>`);
      text(left - 6, y(value) + 4, 'end', String(+value.toPrecision(6)));
    }
    for (const tick of octaveTicks(2 ** from / unit, 2 ** to / unit)) {
      const at = x(tick * unit);
      parts.push(`<path class="axis" d="M${at} ${height - bottom}v5"/>`);
      text(at, height - bottom + 19, 'middle', `${shortNumber(tick)}×`);
    }
    parts.push(`<path class="axis" d="M${left} ${top}V${height - bottom}H${width - right}"/>`);
    text((left + width - right) / 2, height - 6, 'middle', 'size, relative to the training size');
    text(left - 40, 14, 'start', 'score');
    looks.forEach(({network, result, reading}, n) => {
      const line = c => network.planes.map((plane, s) => `${x(plane.size).toFixed(1)},${y(result.planes[s][c]).toFixed(1)}`).join(' ');
      if (n === 0)
        this.classes.forEach((_, c) => c !== reading.label && parts.push(`<polyline class="class" points="${line(c)}"/>`));
      const kind = n === 0 ? '' : ' second';
      parts.push(`<polyline class="top${kind}" points="${line(reading.label)}"/>`);
      network.planes.forEach((plane, s) =>
        parts.push(`<circle class="${kind}" cx="${x(plane.size)}" cy="${y(result.planes[s][reading.label])}" r="${s === reading.plane ? 6 : 3}"/>`));
      if (n === 0) {
        const peak = x(reading.size), near = peak > width - 150;
        text(peak + (near ? -10 : 10), y(result.planes[reading.plane][reading.label]) - 9, near ? 'end' : 'start',
             `${this.classes[reading.label]}, read ${shortNumber(reading.size / unit)}×`, 'font-weight="700"');
      }
    });
    const at = x(shown);
    if (at >= left && at <= width - right) {
      parts.push(`<path class="shown" d="M${at} ${top}V${height - bottom}"/>`);
      text(at, 14, at < left + 40 ? 'start' : at > width - 60 ? 'end' : 'middle', 'shown');
    }
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.svg.innerHTML = parts.join('');
  }
}

function escaped(text) {
  return String(text).replace(/[&<>"]/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[c]);
}

function shortNumber(value) {
  return value.toFixed(value < 0.995 ? 2 : value < 9.95 ? 2 : 1).replace(/\.?0+$/, '');
}

// About `count` round numbers within low and high.
function ticks(low, high, count) {
  const rough = (high - low || 1) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= rough), found = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step / 1e6; v += step) found.push(Math.round(v / step) * step);
  return found;
}

// Powers of two, or of its root where these are fewer than three.
function octaveTicks(low, high) {
  for (const step of [1, 0.5, 0.25]) {
    const found = [];
    for (let k = Math.ceil(Math.log2(low) / step); k * step <= Math.log2(high); ++k) found.push(2 ** (k * step));
    if (found.length >= 3 || step === 0.25) return found;
  }
}
