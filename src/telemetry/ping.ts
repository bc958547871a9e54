/** The addresses of a dead man's switch as healthchecks.io has them: `/start`, plain for success, `/<exit code>`. */
export function pingAddress(base: URL, what: 'start' | number): URL {
  const address = new URL(base);
  if (what === 0) return address;
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/${what}`;
  return address;
}
