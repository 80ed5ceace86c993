/**
 * Which pages may connect: pages of the server's own host, pages whose origin is listed and, during
 * development, pages of the local machine, whose server has another port.
 */

/** Whether a page of `origin` may connect to the server that it addresses as `host`. */
export function isOriginAllowed(
  origin: string | undefined,
  host: string | undefined,
  origins: readonly string[] | '*',
): boolean {
  // A program that is not a browser can send any origin, or none.
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
