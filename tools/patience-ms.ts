/** How long a test waits for what must come about, before it takes it for hanging. */
export const PATIENCE_MS = 100_000;
