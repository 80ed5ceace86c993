/**
 * Which pages may connect: those of the server's own host, those that are listed, and, while a game is being made, those of
 * this machine, where the page's server has another port.
 */

/** Whether a page of `origin` may talk to the server that it calls `host`. */
export function isOriginAllowed(
  origin: string | undefined,
  host: string | undefined,
  origins: readonly string[] | '*',
): boolean {
  // A program that is no browser says what it likes, or nothing.
  if (origin === undefined || origins === '*' || origins.includes(origin)) return true;
  try {
    const page = new URL(origin);
    return page.host === new URL(`http://${host}`).host || (isDevelopment() && isLoopback(page));
  } catch {
    return false;
  }
}

function isDevelopment(): boolean {
  return process.env.NODE_ENV !== 'production';
}

function isLoopback({ protocol, hostname }: URL): boolean {
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
