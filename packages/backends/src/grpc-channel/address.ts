/** "host:port", with an IPv6 address in brackets. */
const ADDRESS = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/;

/** Why a text is no address that a channel can be opened to; `undefined` when it is one. Does not look the host up. */
export function problemOfAddress(text: string): string | undefined {
  const port = ADDRESS.exec(text)?.[2];
  if (port === undefined) return 'expected "host:port", without a scheme or a path';
  return Number(port) >= 1 && Number(port) <= 65_535 ? undefined : "the port must be from 1 to 65535";
}
