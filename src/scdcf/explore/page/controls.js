// Sliders, buttons, keys, and dragging on the picture.

function connect(explorer) {
  const {shown} = explorer;
  element('about').textContent = data.about;
  const size = element('size');
  size.min = Math.log2(explorer.smallest);
  size.max = Math.log2(explorer.largest);
  size.addEventListener('input', () => explorer.show({size: 2 ** Number(size.value)}));
  for (const axis of ['x', 'y'])
    element(axis).addEventListener('input', event => explorer.show({[axis]: Number(event.target.value)}));
  const press = (id, action) => element(id).addEventListener('click', action);
  press('halve', () => explorer.show({size: shown.size / 2}));
  press('double', () => explorer.show({size: shown.size * 2}));
  press('reset', () => explorer.show({size: explorer.unit, x: 0, y: 0}));
  press('play', () => play(explorer, element('play').getAttribute('aria-pressed') !== 'true'));
  connectPictures(explorer);
  connectSeen(explorer, element('seen'));
  connectMaps(explorer);
  new ResizeObserver(() => explorer.show({})).observe(element('curve'));
  element('curve-box').hidden = explorer.networks.every(network => network.planes.length === 0);
  element('maps-box').hidden = explorer.networks.every(network => network.layers.length === 0);
}

// Smaller and larger in turns, over the whole range in four seconds.
function play(explorer, on) {
  element('play').setAttribute('aria-pressed', on);
  if (!on) return;
  const low = Math.log2(explorer.smallest), span = Math.log2(explorer.largest) - low;
  const start = performance.now() - 4000 * Math.acos(1 - 2 * (Math.log2(explorer.shown.size) - low) / span) / Math.PI;
  const step = async () => {
    if (element('play').getAttribute('aria-pressed') !== 'true') return;
    const phase = (performance.now() - start) / 4000 * Math.PI;
    await explorer.show({size: 2 ** (low + span * (1 - Math.cos(phase)) / 2)});
    requestAnimationFrame(step);
  };
  step();
}

// The pictures to pick from, and the pad.
function connectPictures(explorer) {
  const buttons = explorer.pictures.map((picture, i) => {
    const button = document.createElement('button'), canvas = button.appendChild(document.createElement('canvas'));
    button.type = 'button';
    button.title = data.classes[picture.label];
    button.setAttribute('aria-label', `Picture ${i + 1}: ${data.classes[picture.label]}`);
    canvas.width = canvas.height = data.side;
    showPicture(canvas, picture.pixels);
    button.addEventListener('click', () => pick(picture, i));
    return button;
  });
  element('pictures').append(...buttons);
  const press = chosen => buttons.forEach((button, i) => button.setAttribute('aria-pressed', i === chosen));
  press(0);
  const pick = (picture, chosen) => {
    press(chosen);
    explorer.curve.forget();
    explorer.show({picture});
  };
  element('pad-box').hidden = !data.drawing;
  if (!data.drawing) return;
  const pad = element('pad'), {drawing} = explorer;
  const redraw = () => {
    drawing.show(pad, data.drawing.pen * 0.9, '#fff');
    element('pad-hint').hidden = !drawing.empty;
  };
  drawing.listen(pad, () => explorer.curve.forget(), () => {
    redraw();
    press(-1);
    explorer.show({picture: drawing.picture(data.side, data.drawing)});
  });
  element('clear').addEventListener('click', () => {
    drawing.strokes = [];
    redraw();
    pick(explorer.pictures[0], 0);
  });
}

function connectSeen(explorer, canvas) {
  const {shown} = explorer, pointers = new Map();
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  };
  canvas.addEventListener('pointerdown', event => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, event);
  });
  canvas.addEventListener('pointermove', event => {
    const before = pointers.get(event.pointerId), side = canvas.clientWidth;
    if (!before) return;
    const apart = pointers.size === 2 ? spread() : 0;
    pointers.set(event.pointerId, event);
    if (apart > 0) explorer.show({size: shown.size * spread() / apart});
    else explorer.show({x: shown.x + (event.clientX - before.clientX) / side, y: shown.y + (event.clientY - before.clientY) / side});
  });
  for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, event => pointers.delete(event.pointerId));
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    explorer.show({size: shown.size * 2 ** (-event.deltaY / 800)});
  }, {passive: false});
  canvas.addEventListener('keydown', event => {
    const pixel = 1 / data.side;
    const change = {ArrowLeft: {x: shown.x - pixel}, ArrowRight: {x: shown.x + pixel}, ArrowUp: {y: shown.y - pixel},
                    ArrowDown: {y: shown.y + pixel}, '+': {size: shown.size * 2 ** 0.125}, '-': {size: shown.size / 2 ** 0.125}}[event.key];
    if (!change) return;
    event.preventDefault();
    explorer.show(change);
  });
}

function connectMaps(explorer) {
  const network = element('maps-network'), layer = element('maps-layer');
  const fill = (select, names) => select.replaceChildren(...names.map((name, i) => new Option(name, i)));
  fill(network, explorer.networks.map(n => n.name));
  const layers = () => fill(layer, explorer.networks[network.value].layers.map(l => l.name));
  layers();
  network.addEventListener('change', () => {
    layers();
    explorer.maps.first = 0;
    explorer.show({});
  });
  layer.addEventListener('change', () => explorer.show({}));
  const turn = by => {
    const {maps} = explorer;
    maps.first = Math.max(0, Math.min(maps.first + by, maps.channels - kChannelsShown));
    explorer.show({});
  };
  element('maps-before').addEventListener('click', () => turn(-kChannelsShown));
  element('maps-after').addEventListener('click', () => turn(kChannelsShown));
}
