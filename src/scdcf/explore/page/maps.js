// Feature maps: a row for each of a few channels, a column for each plane. What a plane computes of an object it computes,
// of one half as large, four planes finer: the maps move along the row.

const kChannelsShown = 4;

class Maps {
  constructor(table, note) {
    this.table = table;
    this.note = note;
    this.first = 0;  // channel
    this.cells = [];
  }

  // The outputs that are needed for a layer of a network: one for each plane, or one with all of them.
  static outputs(network, layer) {
    return network.layers[layer]?.maps ?? [];
  }

  draw(network, layer, result, peak) {
    const planes = planesOf(network, layer, result.maps);
    if (planes.length === 0) return this.#none();
    const {channels} = planes[0], shown = Math.min(kChannelsShown, channels);
    this.channels = channels;
    this.first = Math.min(this.first, channels - shown);
    const shape = [network.name, layer, shown, planes.length].join();
    if (shape !== this.shape) this.#lay(shape, network, shown, planes);
    planes.forEach((_, s) => this.heads[s].classList.toggle('peak', s === peak));
    for (let r = 0; r < shown; ++r) {
      this.rows[r].textContent = this.first + r + 1;
      let low = 0, high = 1e-6;  // one range for the row: planes can be compared
      for (const plane of planes)
        for (const value of plane.of(this.first + r)) {
          if (value < low) low = value;
          if (value > high) high = value;
        }
      planes.forEach((plane, s) => paint(this.cells[r][s], plane.of(this.first + r), plane.width, plane.height, low, high));
    }
  }

  #none() {
    this.shape = '';
    this.channels = 0;
    this.table.replaceChildren();
    this.note.textContent = 'This network does not tell its features.';
  }

  #lay(shape, network, shown, planes) {
    this.shape = shape;
    this.table.replaceChildren();
    const table = this.table.appendChild(document.createElement('table')), head = table.insertRow();
    head.appendChild(document.createElement('th')).textContent = 'channel';
    const named = network.planes.length === planes.length;
    this.heads = planes.map((_, s) => {
      const cell = head.appendChild(document.createElement('th'));
      cell.scope = 'col';
      cell.textContent = named ? `${shortNumber(network.planes[s].size / network.unit)}×` : planes.length > 1 ? `plane ${s + 1}` : '';
      return cell;
    });
    this.rows = [];
    this.cells = [];
    for (let r = 0; r < shown; ++r) {
      const row = table.insertRow(), label = row.appendChild(document.createElement('th'));
      label.scope = 'row';
      this.rows.push(label);
      this.cells.push(planes.map(() => row.insertCell().appendChild(document.createElement('canvas'))));
    }
    this.note.textContent = named
      ? 'Columns: planes, by the size of the objects at home there, relative to the training size; the peak is marked. ' +
        'Every plane looks at the image at a size of its own.'
      : planes.length > 1 ? 'Columns: planes of the scale axis, finest first.' : 'This network has no scale axis: one map for each channel.';
  }
}

// [{width, height, channels, of: channel => values}], one for each plane.
function planesOf(network, layer, maps) {
  const found = [];
  for (const name of Maps.outputs(network, layer)) {
    if (!maps[name]) return [];
    const {dims, data} = maps[name], [height, width] = dims.slice(-2), depth = dims.length === 5 ? dims[2] : 1, area = height * width;
    for (let s = 0; s < depth; ++s)
      found.push({width, height, channels: dims[1], of: c => data.subarray((c * depth + s) * area, (c * depth + s + 1) * area)});
  }
  return found;
}

const kColours = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];  // viridis

function paint(canvas, values, width, height, low, high) {
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, {width, height});
  const context = canvas.getContext('2d'), image = context.createImageData(width, height);
  values.forEach((value, i) => {
    const at = Math.min(Math.max((value - low) / (high - low), 0), 1) * (kColours.length - 1);
    const k = Math.min(Math.floor(at), kColours.length - 2);
    for (let c = 0; c < 3; ++c) image.data[4 * i + c] = kColours[k][c] + (at - k) * (kColours[k + 1][c] - kColours[k][c]);
    image.data[4 * i + 3] = 255;
  });
  context.putImageData(image, 0, 0);
}
