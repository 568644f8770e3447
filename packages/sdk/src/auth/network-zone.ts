/**
 * Where an address lies: on the public network, on a private one, on this machine. `guarded-fetch.ts` decides by it
 * which addresses a server may send this client to.
 */

export type NetworkZone = 'public' | 'private' | 'link-local' | 'loopback' | 'reserved'

/** The zone of a host as it stands in a URL: of its literal address, or of a name that needs no lookup. */
export function zoneOfHost(hostname: string): NetworkZone | undefined {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback'
  if (host.startsWith('[')) return zoneOfAddress(host.slice(1, -1))
  // URL parsing has brought every other spelling of an IPv4 address (octal, hexadecimal, one number) into this form.
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) ? zoneOfAddress(host) : undefined
}

/** The zone of an IPv4 or IPv6 address; what cannot be read is `reserved`. */
export function zoneOfAddress(address: string): NetworkZone {
  const bare = address.replace(/%.*$/, '')
  if (!bare.includes(':')) {
    const parts = bare.split('.').map(Number)
    return parts.length === 4 && parts.every((part) => part >= 0 && part <= 255) ? zoneOfV4(parts) : 'reserved'
  }
  const words = toWords(bare)
  return words === undefined ? 'reserved' : zoneOfV6(words)
}

/** A host that is certainly this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return zoneOfHost(hostname) === 'loopback'
}

function zoneOfV4([a = 0, b = 0, c = 0]: readonly number[]): NetworkZone {
  if (a === 127) return 'loopback'
  if (a === 10 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168)) return 'private'
  // Shared address space of carriers (RFC 6598): also what overlay networks hand out.
  if (a === 100 && b >= 64 && b < 128) return 'private'
  if (a === 169 && b === 254) return 'link-local'
  const documentation =
    (a === 192 && b === 0) || (a === 198 && b === 51 && c === 100) || (a === 203 && b === 0 && c === 113)
  if (a === 0 || a >= 224 || documentation || (a === 198 && (b === 18 || b === 19))) return 'reserved'
  return 'public'
}

function zoneOfV6(words: readonly number[]): NetworkZone {
  const [first = 0, second = 0] = words
  const head = words.slice(0, 6)
  const tail = toV4(words[6] ?? 0, words[7] ?? 0)
  if (words.every((word, at) => word === (at === 7 ? 1 : 0))) return 'loopback'
  // Addresses that stand for an IPv4 address lie where that one lies: mapped, compatible, NAT64, 6to4.
  if (head.slice(0, 5).every((word) => word === 0) && (head[5] === 0xffff || head[5] === 0)) return zoneOfV4(tail)
  if (first === 0x64 && second === 0xff9b) return zoneOfV4(tail)
  if (first === 0x2002) return zoneOfV4(toV4(second, words[2] ?? 0))
  if ((first & 0xfe00) === 0xfc00) return 'private'
  if ((first & 0xffc0) === 0xfe80) return 'link-local'
  return (first & 0xe000) === 0x2000 && !(first === 0x2001 && second < 0x200) ? 'public' : 'reserved'
}

function toV4(high: number, low: number): number[] {
  return [high >> 8, high & 255, low >> 8, low & 255]
}

/** The eight words of an IPv6 address, or undefined. */
function toWords(address: string): number[] | undefined {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  let text = address
  if (dotted !== null) {
    const [, before = '', ...digits] = dotted
    const [a = 0, b = 0, c = 0, d = 0] = digits.map(Number)
    text = `${before}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  }
  const [left = '', right, ...more] = text.split('::')
  const read = (part: string) => (part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16)))
  const front = read(left)
  const back = read(right ?? '')
  const missing = 8 - front.length - back.length
  if (more.length > 0 || (right === undefined ? missing !== 0 : missing < 0)) return undefined
  const words = [...front, ...new Array<number>(missing).fill(0), ...back]
  return words.every((word) => word >= 0 && word <= 0xffff) ? words : undefined
}
