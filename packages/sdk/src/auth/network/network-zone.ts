/**
 * Where an address lies: on the public network, on a private one, on this machine. The one table of special addresses,
 * for this package, the host and the servers: `guarded-fetch.ts` and theirs decide by it what may be dialled.
 */

/** What kind of network an address belongs to. */
export type NetworkZone = 'public' | 'private' | 'link-local' | 'loopback' | 'reserved'

/** IANA's registry of special IPv4 addresses, without those that are reached like any other. */
const V4: readonly (readonly [network: string, zone: NetworkZone])[] = [
  ['0.0.0.0/8', 'reserved'],
  ['10.0.0.0/8', 'private'],
  // Shared address space of carriers (RFC 6598): also what overlay networks hand out.
  ['100.64.0.0/10', 'private'],
  ['127.0.0.0/8', 'loopback'],
  // Not in the registry: where one cloud has its machines ask for their own secrets, as others do at 169.254.169.254.
  ['168.63.129.16/32', 'link-local'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'reserved'],
  ['192.88.99.0/24', 'reserved'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'reserved'],
  ['198.51.100.0/24', 'reserved'],
  ['203.0.113.0/24', 'reserved'],
  ['224.0.0.0/3', 'reserved'],
]

/** And of IPv6, within the range that is handed out; what lies outside it is `reserved` but for what is named. */
const V6: readonly (readonly [network: string, zone: NetworkZone])[] = [
  ['::1/128', 'loopback'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  // Protocol assignments: Teredo, whose addresses hide an IPv4 address, benchmarks, and hashes that are no place.
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'reserved'],
  ['3fff::/20', 'reserved'],
  ['2000::/3', 'public'],
]

/** Networks whose addresses stand for an IPv4 address, and the word at which that begins. They lie where it lies. */
const EMBEDDING: readonly (readonly [network: string, at: number])[] = [
  ['::ffff:0:0/96', 6],
  ['::/96', 6],
  ['64:ff9b::/96', 6],
  ['2002::/16', 1],
]

/**
 * The zone of a host as it stands in a URL: an address, or `localhost`. Undefined for a name that has to be looked up.
 *
 * @example
 * ```ts
 * import { zoneOfHost } from '@portico/sdk/auth-node'
 *
 * zoneOfHost('192.168.1.7') // 'private'
 * zoneOfHost('[::1]') // 'loopback'
 * zoneOfHost('example.com') // undefined
 * ```
 */
export function zoneOfHost(hostname: string): NetworkZone | undefined {
  const host = hostname.toLowerCase().replace(/\.$/, '')
  if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback'
  if (host.startsWith('[')) return zoneOfAddress(host.slice(1, -1))
  if (host.includes(':')) return zoneOfAddress(host)
  // Only what ends like a number is one, in any spelling (octal, hexadecimal, short): URLs bring all into one form.
  if (!/^(?:[\da-fx]+\.)*(?:\d+|0x[\da-f]*)$/.test(host)) return undefined
  return URL.canParse(`http://${host}/`) ? zoneOfAddress(new URL(`http://${host}/`).hostname) : 'reserved'
}

/**
 * The zone of an IPv4 or IPv6 address; what cannot be read as one is `reserved`.
 *
 * @example
 * ```ts
 * import { zoneOfAddress } from '@portico/sdk/auth-node'
 *
 * zoneOfAddress('93.184.215.14') // 'public'
 * zoneOfAddress('169.254.169.254') // 'link-local'
 * ```
 */
export function zoneOfAddress(address: string): NetworkZone {
  const bare = address.replace(/%.*$/s, '')
  const words = toWords(bare)
  if (words === undefined) return 'reserved'
  return words.length === 2 ? find(TABLE_V4, words, 'public') : zoneOfV6(words)
}

/**
 * Whether a host, as it stands in a URL, is certainly this machine. Names that have to be looked up are not.
 *
 * @example
 * ```ts
 * import { isLoopbackHost } from '@portico/sdk/auth-node'
 *
 * isLoopbackHost('localhost') // true
 * isLoopbackHost(new URL('http://127.0.0.1:3000/mcp').hostname) // true
 * ```
 */
export function isLoopbackHost(hostname: string): boolean {
  return zoneOfHost(hostname) === 'loopback'
}

function zoneOfV6(words: readonly number[]): NetworkZone {
  const own = find(TABLE_V6, words, 'reserved')
  if (own === 'loopback') return own
  const at = find<number>(TABLE_EMBEDDING, words, -1)
  return at < 0 ? own : find(TABLE_V4, words.slice(at, at + 2), 'public')
}

/** A network as words of 16 bits, each with the bits that count. */
interface Row<Value> {
  readonly words: readonly number[]
  readonly masks: readonly number[]
  readonly value: Value
}

function toRow<Value>([network, value]: readonly [string, Value]): Row<Value> {
  const [address = '', bits = ''] = network.split('/')
  const words = toWords(address) ?? []
  const masks = words.map((_, at) => (0xffff << (16 - Math.min(16, Math.max(0, Number(bits) - 16 * at)))) & 0xffff)
  return { words, masks, value }
}

/** The value of the first row that holds an address. */
function find<Value>(rows: readonly Row<Value>[], address: readonly number[], otherwise: Value): Value {
  const row = rows.find(({ words, masks }) =>
    words.every((word, at) => ((word ^ (address[at] ?? 0)) & (masks[at] ?? 0)) === 0),
  )
  return row === undefined ? otherwise : row.value
}

/** The two words of an IPv4 address or the eight of an IPv6 address, or undefined. */
function toWords(address: string): number[] | undefined {
  const [, before = '', dotted] = /^(.*:)?(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? []
  const tail = dotted === undefined ? [] : toWordsOfV4(dotted)
  if (tail === undefined || (dotted !== undefined && before === '')) return tail
  const [left = '', right, ...more] = (dotted === undefined ? address : before.replace(/([^:]):$/, '$1')).split('::')
  const [front, back] = [readWords(left), readWords(right ?? '')]
  if (front === undefined || back === undefined || more.length > 0) return undefined
  const missing = 8 - front.length - back.length - tail.length
  if (right === undefined ? missing !== 0 : missing < 1) return undefined
  return [...front, ...new Array<number>(missing).fill(0), ...back, ...tail]
}

function toWordsOfV4(dotted: string): number[] | undefined {
  const parts = dotted.split('.')
  // A leading zero means octal to some and nothing to others.
  if (!parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return undefined
  const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number)
  return [(a << 8) | b, (c << 8) | d]
}

function readWords(text: string): number[] | undefined {
  if (text === '') return []
  const parts = text.split(':')
  return parts.every((part) => /^[\da-f]{1,4}$/i.test(part))
    ? parts.map((part) => Number.parseInt(part, 16))
    : undefined
}

const TABLE_V4 = V4.map(toRow)
const TABLE_V6 = V6.map(toRow)
const TABLE_EMBEDDING = EMBEDDING.map(toRow)
