/** An address in three pieces, so that the eye finds its host: what stands before it, the host, and the rest (sec-106). */

interface AddressPieces {
  readonly before: string
  readonly host: string
  readonly after: string
}

export function splitAddress(url: string, host: string): AddressPieces {
  const start = url.indexOf('://')
  const end = start < 0 ? -1 : firstOf(url, start + 3)
  const authority = start < 0 ? '' : url.slice(start + 3, end)
  // The host is what follows the last `@`; the program has told us which it is.
  const at = authority.lastIndexOf(host)
  if (host === '' || at < 0) return { before: url, host: '', after: '' }
  const from = start + 3 + at
  return { before: url.slice(0, from), host, after: url.slice(from + host.length) }
}

/** Only the web is opened: other schemes may start programs (sec-96). */
export function isOpenable(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

function firstOf(url: string, from: number): number {
  const found = [...'/?#'].map((sign) => url.indexOf(sign, from)).filter((at) => at >= 0)
  return found.length === 0 ? url.length : Math.min(...found)
}
