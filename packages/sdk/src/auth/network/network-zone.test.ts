import { BlockList, isIPv6 } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { zoneOfAddress, zoneOfHost } from './network-zone.ts'

test.each([
  ['8.8.8.8', 'public'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['10.0.0.1', 'private'],
  ['172.15.0.1', 'public'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['172.32.0.1', 'public'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'private'],
  ['169.254.169.254', 'link-local'],
  ['0.0.0.0', 'reserved'],
  ['224.0.0.1', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['::1', 'loopback'],
  ['::', 'reserved'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['fd00::1', 'private'],
  ['fc00::1', 'private'],
  ['2606:4700:4700::1111', 'public'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:a00:1', 'private'],
  ['::7f00:1', 'loopback'],
  ['64:ff9b::7f00:1', 'loopback'],
  ['2002:7f00:1::', 'loopback'],
  ['2001:0:1::', 'reserved'],
  ['ff02::1', 'reserved'],
  ['1::2::3', 'reserved'],
  ['999.1.1.1', 'reserved'],
  ['192.0.64.1', 'public'],
  ['192.0.0.1', 'reserved'],
  ['192.0.2.1', 'reserved'],
  ['2001:db8::1', 'reserved'],
  ['3fff:fff::1', 'reserved'],
  ['168.63.129.16', 'link-local'],
  ['::ffff:168.63.129.16', 'link-local'],
  ['::ffff:a83f:8110', 'link-local'],
  ['64:ff9b::a83f:8110', 'link-local'],
  ['64:ff9b:1::7f00:1', 'reserved'],
  ['2002:a83f:8110::1', 'link-local'],
  ['::127.0.0.1', 'loopback'],
  ['::1%lo', 'loopback'],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'reserved'],
  ['0177.0.0.1', 'reserved'],
  ['1e1.0.0.1', 'reserved'],
  ['127.1', 'reserved'],
  ['', 'reserved'],
  ['12zz::1', 'reserved'],
  ['1:2:3:4:5:6:7::8', 'reserved'],
  ['::ffff:1.2.3.400', 'reserved'],
])('sec-92: %s is %s', (address, zone) => {
  expect(zoneOfAddress(address)).toBe(zone)
})

test.each([
  ['http://localhost/', 'loopback'],
  ['http://a.localhost./', 'loopback'],
  ['http://2130706433/', 'loopback'],
  ['http://0x7f.1/', 'loopback'],
  ['http://0177.0.0.1/', 'loopback'],
  ['http://[::ffff:169.254.169.254]/', 'link-local'],
  ['http://example.com/', undefined],
  ['http://0xa83f8110/', 'link-local'],
  ['http://017700000001/', 'loopback'],
  ['http://127.1/', 'loopback'],
  ['http://127.0.0.1.example.com/', undefined],
])('sec-92: the host of %s is %s', (url, zone) => {
  expect(zoneOfHost(new URL(url).hostname)).toBe(zone)
})

test.each(['0177.0.0.1', '0x7f000001', '2130706433', '127.1', '0x7f.0.0.1', '::1'])(
  'sec-92: %s is loopback before a URL has brought it into form, too',
  (host) => expect(zoneOfHost(host)).toBe('loopback'),
)

test.each(['beef.cafe', 'abc', 'fe80.example', 'a.0b'])('%s is a name', (host) => {
  expect(zoneOfHost(host)).toBeUndefined()
})

/** Written down a second time, for the operating system's own arithmetic. */
const SPECIAL_4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const
const SPECIAL_6 = [
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
] as const
const four = new BlockList()
for (const [net, bits] of SPECIAL_4) four.addSubnet(net, bits, 'ipv4')
const six = new BlockList()
for (const [net, bits] of SPECIAL_6) six.addSubnet(net, bits, 'ipv6')

/** Any address, and often one at the edge of a special network. */
const edges = SPECIAL_4.flatMap(([net, bits]) => {
  const first = toNumber(net)
  return [first - 1, first, first + 2 ** (32 - bits) - 1, first + 2 ** (32 - bits)]
})
const anyV4 = fc
  .oneof(fc.nat(0xffffffff), fc.constantFrom(...edges.filter((value) => value >= 0 && value <= 0xffffffff)))
  .map((value) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.'))

function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}

test('sec-92, sec-200: IPv4 addresses are judged as the registry says', () => {
  fc.assert(
    fc.property(anyV4, (address) => {
      expect(zoneOfAddress(address) === 'public').toBe(!four.check(address, 'ipv4'))
    }),
    { numRuns: 2000 },
  )
})

test('sec-92, sec-200: every spelling of an IPv4 address within IPv6 lies where it lies', () => {
  fc.assert(
    fc.property(anyV4, (address) => {
      const number = toNumber(address)
      const [high, low] = [Math.floor(number / 65_536).toString(16), (number % 65_536).toString(16)]
      const zone = zoneOfAddress(address)
      const forms = [`::ffff:${address}`, `::ffff:${high}:${low}`, `64:ff9b::${high}:${low}`, `64:ff9b::${address}`]
      for (const form of [...forms, `2002:${high}:${low}::`, `0:0:0:0:0:ffff:${address}%eth0`]) {
        expect(zoneOfAddress(form)).toBe(zone)
      }
      expect(zoneOfHost(String(number))).toBe(zone)
    }),
  )
})

test('sec-92, sec-200: IPv6 addresses are judged as the registry says', () => {
  const word = fc.oneof(
    fc.nat(0xffff),
    fc.constantFrom(0, 1, 0x2001, 0xdb8, 0x3fff, 0xfff, 0x1fff, 0x2000, 0xfe80, 0xfc00),
  )
  fc.assert(
    fc.property(fc.array(word, { minLength: 8, maxLength: 8 }), (words) => {
      const address = words.map((one) => one.toString(16)).join(':')
      expect(isIPv6(address)).toBe(true)
      const embeds =
        words[0] === 0x2002 || (words[0] === 0x64 && words[1] === 0xff9b) || words.slice(0, 5).every((one) => one === 0)
      if (!embeds) expect(zoneOfAddress(address) === 'public').toBe(!six.check(address, 'ipv6'))
    }),
    { numRuns: 2000 },
  )
})
