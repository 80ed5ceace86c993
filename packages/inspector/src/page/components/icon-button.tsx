/** A button with an icon, a label for screen readers, and its key in the tooltip. */
import type { ComponentChildren } from 'preact';

interface ButtonProps {
  label: string;
  keyHint?: string;
  pressed?: boolean;
  class?: string;
  onPress(): void;
  children: ComponentChildren;
}

export function IconButton({ label, keyHint, pressed, class: extra = '', onPress, children }: ButtonProps) {
  const title = keyHint === undefined ? label : `${label} (${keyHint})`;
  return (
    <button
      type="button"
      class={`icon-button ${extra}`}
      aria-label={label}
      aria-pressed={pressed}
      title={title}
      onClick={onPress}
    >
      {children}
    </button>
  );
}
