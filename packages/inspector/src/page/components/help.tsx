/**
 * The help: a dialog with what mouse and finger do, and all keys.
 */
import { useEffect, useRef } from 'preact/hooks';
import type { Greeting } from '../../feed-message.ts';
import type { Explorer } from '../explorer.ts';
import { BINDINGS, type BindingGroup, isOffered } from '../keyboard.ts';
import { usePart } from '../store.ts';
import { Icon } from './icon.tsx';
import { IconButton } from './icon-button.tsx';

/** Without the keys that would do nothing in this world. */
function offeredGroups(greeting: Greeting | undefined): BindingGroup[] {
  return BINDINGS.map(({ title, bindings }) => ({
    title,
    bindings: bindings.filter((binding) => isOffered(binding, greeting)),
  })).filter(({ bindings }) => bindings.length > 0);
}

export function Help({ explorer }: { explorer: Explorer }) {
  const isOpen = usePart(explorer.store, (state) => state.isHelpOpen);
  const greeting = usePart(explorer.store, (state) => state.greeting);
  const dialog = useRef<HTMLDialogElement>(null);
  // The browser reports a close later: by then the help may be open again, and the page itself may have closed it.
  const closesToCome = useRef(0);
  useEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    if (isOpen && !element.open) element.showModal();
    if (!isOpen && element.open) {
      closesToCome.current++;
      element.close();
    }
  }, [isOpen]);
  const onClose = () => {
    if (closesToCome.current > 0) closesToCome.current--;
    else if (explorer.store.state.isHelpOpen) explorer.toggleHelp();
  };
  return (
    <dialog class="help" ref={dialog} aria-label="Help" onClose={onClose}>
      <header>
        <h2>Help</h2>
        <IconButton label="Close" keyHint="Esc" onPress={() => explorer.toggleHelp()}>
          <Icon name="close" />
        </IconButton>
      </header>
      <p class="quiet">
        {explorer.onHold === undefined ? 'Drag to pan.' : 'Drag an entity to move it, or the ground to pan.'}{' '}
        Wheel or pinch to zoom. Click an entity to see which entities it perceives (solid lines) and which
        perceive it (dashed). Then Shift-click another entity, or hold a finger on it, to see why the two are
        related or not.
      </p>
      <p class="quiet">
        A hollow disc with a number: the cap cut this entity, and the number is its rank. A green ring that
        closes in: the entity entered a view. A red ring that opens: it left one.
      </p>
      <div class="groups">
        {offeredGroups(greeting).map(({ title, bindings }) => (
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
    </dialog>
  );
}
