/** The page: the whole land from above, the viewer's own hero in it, and buttons that kill and add nodes. */
import { UmweltClient } from '@umwelt/client';
import type { MemberFacts, Picture } from '../overview.ts';
import { writeGoal } from '../rules.ts';
import { colourOf } from './colours.ts';
import { LandPicture } from './land-picture.ts';
import { Shares } from './shares.ts';

type PagePicture = Picture & { readonly bots: number; readonly botsConnected: number };

const SAID_MAX = 40;

function element<Kind extends HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

const canvas = element<HTMLCanvasElement>('land');
const land = new LandPicture(canvas);
const shares = new Shares(element('shares'));
const beganMs = performance.now();
let members: readonly MemberFacts[] = [];
let mine = '';
let tries = Math.floor(Math.random() * 8);

const client = new UmweltClient({
  url: () => {
    const open = members.filter(({ port, isQuiet }) => port > 0 && !isQuiet);
    const member = open[tries++ % Math.max(1, open.length)];
    mine = member?.name ?? '';
    return `ws://127.0.0.1:${member?.port ?? 1}/`;
  },
  credential: () => `Visitor ${Math.floor(beganMs * 1000)} ${Math.floor(performance.timeOrigin % 1e6)}`,
  retryFirstMs: 150,
  retryMaxMs: 1000,
});

function say(text: string): void {
  const line = document.createElement('li');
  const time = document.createElement('time');
  time.textContent = `${((performance.now() - beganMs) / 1000).toFixed(1)} s`;
  line.append(time, text);
  element('said').prepend(line);
  while (element('said').childElementCount > SAID_MAX) element('said').lastElementChild?.remove();
}

function post(path: string): void {
  void fetch(path, { method: 'POST' });
}

/** Cards are created once, so that a button can be clicked while figures change. */
const cards = new Map<string, { card: HTMLLIElement; facts: HTMLSpanElement; mark: HTMLElement }>();
function cardOf(name: string) {
  const known = cards.get(name);
  if (known !== undefined) return known;
  const card = document.createElement('li');
  card.style.setProperty('--colour', colourOf(name));
  const title = document.createElement('b');
  const mark = document.createElement('span');
  mark.className = 'mine';
  title.append(name, ' ', mark);
  const facts = document.createElement('span');
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Kill';
  button.setAttribute('aria-label', `Kill ${name}`);
  button.addEventListener('click', () => {
    button.disabled = true;
    post(`/kill?name=${encodeURIComponent(name)}`);
  });
  card.append(document.createElement('i'), title, button, facts);
  const made = { card, facts, mark };
  cards.set(name, made);
  return made;
}

function showMembers(now: readonly MemberFacts[]): void {
  for (const { name, isQuiet, owned } of now) {
    const before = members.find((member) => member.name === name);
    if (before === undefined && members.length > 0) say(`${name} is a member`);
    if (before?.isQuiet === false && isQuiet) say(`${name} is silent: its ${owned} entities stand still`);
  }
  for (const { name, owned } of members) {
    if (now.some((member) => member.name === name)) continue;
    say(`${name} is gone: the others took over its ${owned} entities`);
    cards.get(name)?.card.remove();
    cards.delete(name);
  }
  members = now;
  for (const { name, owned, shown, isQuiet } of now) {
    const { card, facts, mark } = cardOf(name);
    card.classList.toggle('quiet', isQuiet);
    facts.textContent = isQuiet ? 'silent' : `simulates ${owned} · shows ${shown}`;
    mark.textContent = name === mine && client.state === 'open' ? 'your node' : '';
    if (!card.isConnected) element('nodes').append(card);
  }
}

function showFigures({ entities, missing, bots, botsConnected, gapMs }: PagePicture): void {
  element('entities').textContent = String(entities.length / 6);
  element('missing').textContent = String(missing);
  element('missing-box').classList.toggle('bad', missing > 0);
  element('players').textContent = `${botsConnected} of ${bots}`;
  element('gap').textContent = String(gapMs);
}

const feed = new EventSource('/feed');
feed.addEventListener('ground', ({ data }) => {
  element('ground').textContent = `on ${JSON.parse(data)}`;
});
feed.addEventListener('picture', ({ data }) => {
  const picture: PagePicture = JSON.parse(data);
  const nowMs = performance.now();
  land.take(picture, nowMs);
  shares.take(picture, nowMs);
  showMembers(picture.members);
  showFigures(picture);
  client.connect();
});
feed.addEventListener('said', ({ data }) => {
  const { kind, name } = JSON.parse(data);
  if (kind === 'kill') say(`${name} is killed`);
});
let lostMs: number | undefined;
client.on('state', (state) => {
  if (state === 'waiting') lostMs ??= performance.now();
});
client.on('frame', () => {
  if (lostMs !== undefined)
    say(`You continue on ${mine}, after ${Math.round(performance.now() - lostMs)} ms`);
  lostMs = undefined;
});
canvas.addEventListener('click', (event) => {
  client.sendInput(writeGoal(land.placeOf(event)));
});
element('add').addEventListener('click', () => post('/add'));

function draw(): void {
  const nowMs = performance.now();
  client.interpolate();
  land.draw(client, nowMs);
  requestAnimationFrame(draw);
}
draw();
