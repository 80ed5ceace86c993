/** How long a test waits for an expected event before it counts as hanging, in milliseconds. */
export const PATIENCE_MS = 100_000;
