// The answers of the networks: a bar for every class, and in words.

const kClassesShown = 12;

class Answers {
  constructor(table, networks, classes) {
    this.classes = classes;
    this.networks = networks;
    const head = table.createTHead().insertRow();
    for (const words of ['class', ...networks.map(n => n.name)]) {
      const cell = head.appendChild(document.createElement('th'));
      cell.scope = 'col';
      cell.textContent = words;
    }
    const body = table.createTBody();
    this.rows = classes.slice(0, kClassesShown).map(() => {
      const row = body.insertRow(), name = row.insertCell();
      const bars = networks.map((_, n) => {
        const cell = row.insertCell(), box = document.createElement('div');
        cell.className = n === 0 ? 'bar' : 'bar second';
        cell.appendChild(box);
        return {cell, bar: box.appendChild(document.createElement('i')), share: box.appendChild(document.createElement('span'))};
      });
      return {name, bars};
    });
  }

  draw(looks) {
    const shares = looks.map(({result}) => softmax(result.scores));
    // All classes in their order, or the likeliest of the first network where they are many.
    let order = this.classes.map((_, c) => c);
    if (order.length > this.rows.length) order = order.sort((a, b) => shares[0][b] - shares[0][a]);
    this.rows.forEach(({name, bars}, r) => {
      name.textContent = this.classes[order[r]];
      bars.forEach(({cell, bar, share}, n) => {
        const value = shares[n][order[r]];
        bar.style.width = `calc(${(100 * value).toFixed(1)}% - ${(3.2 * value).toFixed(2)}rem)`;
        share.textContent = `${(100 * value).toFixed(0)}%`;
        cell.classList.toggle('top', looks[n].reading.label === order[r]);
      });
    });
  }

  // A line for each network; only what has changed, as it is read out to those who do not see it.
  say(box, looks, unit) {
    looks.forEach(({network, reading}, n) => {
      const line = box.children[n] ?? box.appendChild(document.createElement('p'));
      const words = `${network.name}: ${this.classes[reading.label]}` +
        (reading.size ? `, size read ${reading.size.toFixed(2)} (${shortNumber(reading.size / unit)}× the training size)` : '');
      if (line.textContent !== words) line.textContent = words;
    });
  }

  // Empty, or what to know about the first network's answer.
  static warning({network, reading}, shown) {
    if (!reading.size) return '';
    if (reading.beyond !== 0)
      return `The curve peaks beyond the ${reading.beyond < 0 ? 'finest' : 'coarsest'} plane: the object may be ` +
        `${reading.beyond < 0 ? 'smaller' : 'larger'} than what ${network.name} looks for.`;
    const last = network.planes.at(-1).size;
    if (shown < network.planes[0].size / 1.09 || shown > last * 1.09)
      return `Shown beyond the range that ${network.name} looks for (${network.planes[0].size.toFixed(2)} to ${last.toFixed(2)}).`;
    return '';
  }
}
