/**
 * All keys, over everything, until it is closed.
 */
import { useEffect, useRef } from 'preact/hooks';
import type { Explorer } from '../explorer.ts';
import { BINDINGS } from '../keyboard.ts';
import { usePart } from '../store.ts';
import { Icon } from './icon.tsx';
import { IconButton } from './top-bar.tsx';

export function Help({ explorer }: { explorer: Explorer }) {
  const isOpen = usePart(explorer.store, (state) => state.isHelpOpen);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    if (isOpen && !element.open) element.showModal();
    if (!isOpen && element.open) element.close();
  }, [isOpen]);
  return (
    <dialog
      class="help"
      ref={dialog}
      aria-label="Help"
      onClose={() => explorer.store.state.isHelpOpen && explorer.toggleHelp()}
    >
      <header>
        <h2>Keys</h2>
        <IconButton label="Close" keyHint="Esc" onPress={() => explorer.toggleHelp()}>
          <Icon name="close" />
        </IconButton>
      </header>
      <div class="groups">
        {BINDINGS.map(({ title, bindings }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {bindings.map(({ shown, meaning }) => (
                <div key={meaning}>
                  <dt>
                    {shown.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p class="quiet">
        Drag to pan, wheel or pinch to zoom, click an entity to see whom it perceives (solid) and who
        perceives it (dashed).
      </p>
    </dialog>
  );
}
