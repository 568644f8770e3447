/**
 * Whether a client's document may be asked for: never at addresses of this machine or its networks, which a stranger's
 * client id could otherwise have knocked on (sec-60, sec-92). The library looks again at the address that it has dialled,
 * so that a name that changes its mind in between gains a connection at most.
 */

import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

export async function isPublicHost(url: string): Promise<boolean> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(host) === 0 ? await lookup(host, { all: true }).catch(() => []) : [{ address: host }]
  return addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address))
}

export function isPublicAddress(address: string): boolean {
  return isIP(address) === 6 ? !INSIDE_6.check(address, 'ipv6') : !INSIDE_4.check(address, 'ipv4')
}

// Two lists, because one takes addresses of version 4 for the part of version 6 that stands for them.
const INSIDE_4 = new BlockList()
const INSIDE_6 = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  INSIDE_4.addSubnet(net, bits, 'ipv4')
}
// Of version 6, what is not global unicast, and the parts of it that lead to version 4 or are for documents.
for (const [net, bits] of [
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
] as const) {
  INSIDE_6.addSubnet(net, bits, 'ipv6')
}
