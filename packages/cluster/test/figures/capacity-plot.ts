/** The capacity model as a picture: load of the busiest node by movers, both axes logarithmic, a line for each design and size. */
import { type Constants, DESIGNS, type Design, loadOf } from './capacity-model.ts';

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [900, 420, 60, 200, 40, 40];
const [LEAST_MOVERS, MOST_MOVERS, LEAST_LOAD, MOST_LOAD] = [1e4, 1e7, 0.02, 50];
const NODES = [1, 10, 100];
const COLOURS: Readonly<Record<Design, string>> = {
  'one process': '#8a8a8a',
  'one log': '#1f6fb2',
  ears: '#c2571a',
};
const DASHES: Readonly<Record<number, string>> = { 1: '', 10: '7 4', 100: '2 3' };

/** Those that docs/internals/cluster.md shows. */
export const PLOTS = [
  {
    file: 'cluster-capacity.svg',
    title: 'Load of the busiest node, spread evenly; 1 is full',
    isCrowded: false,
  },
  {
    file: 'cluster-capacity-crowd.svg',
    title: 'Load of the busiest node, a fifth in one spot; 1 is full',
    isCrowded: true,
  },
];

export function capacityPlot(title: string, isCrowded: boolean, constants: Constants): string {
  const across = (movers: number) => LEFT + part(movers, LEAST_MOVERS, MOST_MOVERS) * (WIDTH - LEFT - RIGHT);
  const up = (load: number) => HEIGHT - BOTTOM - part(load, LEAST_LOAD, MOST_LOAD) * (HEIGHT - TOP - BOTTOM);
  const lines = DESIGNS.flatMap((design) =>
    (design === 'one process' ? [1] : NODES).map((nodes) => ({ design, nodes })),
  );
  const paths = lines.map(({ design, nodes }) => {
    const points: string[] = [];
    for (let movers = LEAST_MOVERS; movers <= MOST_MOVERS * 1.001; movers *= 10 ** 0.1) {
      const { core, network } = loadOf(design, movers, nodes, isCrowded, constants);
      const load = Math.max(core, network);
      if (load >= LEAST_LOAD && load <= MOST_LOAD)
        points.push(`${across(movers).toFixed(1)} ${up(load).toFixed(1)}`);
    }
    return `<path d="M${points.join('L')}" fill="none" stroke="${COLOURS[design]}" stroke-width="2" stroke-dasharray="${DASHES[nodes]}"/>`;
  });
  const legend = lines.map(({ design, nodes }, row) => {
    const y = TOP + 12 + row * 20;
    const x = WIDTH - RIGHT + 20;
    return `<path d="M${x} ${y}h30" stroke="${COLOURS[design]}" stroke-width="2" stroke-dasharray="${DASHES[nodes]}"/><text x="${x + 38}" y="${y + 4}">${design}${design === 'one process' ? '' : `, ${nodes} node${nodes > 1 ? 's' : ''}`}</text>`;
  });
  const grid = [1e4, 1e5, 1e6, 1e7].map(
    (movers) =>
      `<path d="M${across(movers)} ${TOP}V${HEIGHT - BOTTOM}" stroke="#ddd"/><text x="${across(movers)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">10^${Math.log10(movers)}</text>`,
  );
  const steps = [0.1, 1, 10].map(
    (load) =>
      `<path d="M${LEFT} ${up(load)}H${WIDTH - RIGHT}" stroke="${load === 1 ? '#b00' : '#ddd'}"/><text x="${LEFT - 8}" y="${up(load) + 4}" text-anchor="end">${load}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13" fill="#222">
<title>${title}</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
<text x="${LEFT}" y="22" font-size="15">${title}</text>
${[...grid, ...steps, ...paths, ...legend].join('\n')}
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 4}" text-anchor="middle">movers in the world, 20 Hz</text>
</svg>
`;
}

function part(value: number, least: number, most: number): number {
  return Math.log(value / least) / Math.log(most / least);
}
