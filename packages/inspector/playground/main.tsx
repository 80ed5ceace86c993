/** The playground: the engine, a town and the inspector's page, all in the browser. */
import { beginPage } from '../src/page/begin-page.tsx';
import { Controls } from './controls.tsx';
import { obeyFrame } from './frame.ts';
import { Playground } from './playground.ts';
import './controls.css';

declare global {
  interface Window {
    playground: Playground;
  }
}

const playground = new Playground();
window.playground = playground;
const explorer = beginPage({
  connect: (listener) => playground.connect(listener),
  panelTop: () => <Controls playground={playground} />,
});
playground.begin(explorer);
obeyFrame(explorer);
