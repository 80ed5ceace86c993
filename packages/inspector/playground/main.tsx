/** The playground: the engine, a town and the inspector's page, all in the browser. */
import 'umwelt/detectors/by-name';
import { UmweltError } from 'umwelt';
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

const playground = begun();
window.playground = playground;
const explorer = beginPage({
  connect: (listener) => playground.connect(listener),
  panelTop: () => <Controls playground={playground} />,
});
playground.begin(explorer);
obeyFrame(explorer);

/** Where the engine cannot run, the page says why it stays empty. */
function begun(): Playground {
  try {
    return new Playground();
  } catch (error) {
    if (error instanceof UmweltError && error.code === 'UNSUPPORTED') {
      const page = document.getElementById('page') as HTMLElement;
      page.textContent = 'The playground needs WebAssembly with SIMD, which browsers have had since 2023.';
    }
    throw error;
  }
}
