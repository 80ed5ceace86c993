/**
 * The browser's part of the game: the connection, the player's input, the picture, and the figures around it.
 */
import { type Entity, UmweltClient } from '@umwelt/client';
import { writeIntent } from '../intent.ts';
import { KIND, MESSAGE, PACE } from '../rules.ts';
import { Controls } from './controls.ts';
import { playerColour } from './figures.ts';
import { KEEP_LEFT_MS, Picture } from './picture.ts';

/** Minimum time between two inputs; unchanged inputs are not sent. */
const SEND_MS = 40;
const NOTICE_MS = 2200;
const FIGURES_MS = 100;

function element<Kind extends HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

const door = element<HTMLFormElement>('door');
const nameInput = element<HTMLInputElement>('name');
const notice = element('notice');
const canvas = element<HTMLCanvasElement>('picture');
const picture = new Picture(canvas);
const controls = new Controls(canvas, { run: element('run'), cloak: element('cloak') });
const client = new UmweltClient({
  url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/`,
  credential: () => nameInput.value,
  keepLeftMs: KEEP_LEFT_MS,
  retryMaxMs: 3000,
});

let noticeTimer: ReturnType<typeof setTimeout> | undefined;
function say(text: string): void {
  notice.textContent = text;
  notice.classList.add('shown');
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => notice.classList.remove('shown'), NOTICE_MS);
}

let sent = '';
function sendIntent(): void {
  const bytes = writeIntent(controls.intent);
  if (String(bytes) !== sent && client.sendInput(bytes) !== 0) sent = String(bytes);
}

client.on('state', (state) => {
  // After a reconnect the server may be another process, so the input is sent again.
  if (state === 'open') sent = '';
  if (state === 'waiting') say('The connection is lost; trying again');
  if (state === 'closed') say('The connection was closed; reload the page');
});
client.on('message', (entity, [kind]) => {
  const isOwn = entity === client.own;
  const name = entity.fields.name ?? 'Somebody';
  if (kind === MESSAGE.caught) say(isOwn ? 'Caught! Back to the fire' : `${name} was caught`);
  if (kind === MESSAGE.saved && isOwn) say(`Embers saved: ${entity.fields.saved}`);
});

/** The figures: how many entities the player sees, how many it only hears, what it has. */
function showFigures(): void {
  const { own } = client;
  if (own === undefined) return;
  const others = [...client.entities.values()].filter((entity) => entity !== own && isSomebody(entity));
  const seen = others.filter(({ fields }) => fields.kind !== undefined);
  element('seen').textContent = String(seen.length);
  element('heard').textContent = String(others.length - seen.length);
  const names = seen
    .filter(({ fields }) => fields.kind === KIND.player)
    .map(({ fields }) => String(fields.name));
  const listed = names.sort().slice(0, 6);
  const who = element('who');
  if ([...who.children].map((item) => item.textContent).join('\n') !== listed.join('\n')) {
    who.replaceChildren(...listed.map(nameItem));
  }
  const { carried = 0, saved = 0, energy = 0, cloaked = false, pace = 0 } = own.fields;
  element('carried').textContent = String(carried);
  element('saved').textContent = String(saved);
  element('energy').style.transform = `scaleX(${Number(energy) / 100})`;
  const isHeard = pace === PACE.running || (pace === PACE.walking && !cloaked);
  element('state').textContent =
    (cloaked ? 'cloaked' : 'in the open') +
    (isHeard ? (pace === PACE.running ? ', loud' : ', audible') : ', silent');
}

function nameItem(name: string): HTMLElement {
  const item = document.createElement('li');
  item.textContent = name;
  item.style.setProperty('--colour', playerColour(name));
  return item;
}

/** A player, a warden, or an entity that is only heard. */
function isSomebody({ fields: { kind } }: Entity): boolean {
  return kind === undefined || kind === KIND.player || kind === KIND.warden;
}

function draw(): void {
  picture.draw(client, controls.intent, controls.stick, performance.now());
  requestAnimationFrame(draw);
}

nameInput.focus();
door.addEventListener('submit', (event) => {
  event.preventDefault();
  door.hidden = true;
  element('hud').hidden = false;
  nameInput.blur();
  client.connect();
  if (matchMedia('(pointer: coarse)').matches) say('Drag anywhere to walk');
  setInterval(sendIntent, SEND_MS);
  setInterval(showFigures, FIGURES_MS);
});
draw();
