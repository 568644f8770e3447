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
  ['http://127.0.0.1.example.com/', undefined],
])('sec-92: the host of %s is %s', (url, zone) => {
  expect(zoneOfHost(new URL(url).hostname)).toBe(zone)
})
