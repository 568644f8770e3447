/** Where addresses lie is said in one place: whoever asks it agrees with the others, and nobody has a table beside it. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createDocumentFetch } from '../packages/host/src/authorization-server/document-fetch.ts'
import { inspectUrl } from '../packages/host/src/consent/url-inspection.ts'
import { createGuardedFetch, zoneOfAddress } from '../packages/sdk/src/doors/auth-node.ts'
import { createDestinations } from '../packages/servers/src/network/destination.ts'
import { isTestFile, listCode } from './tree.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TABLE = 'packages/sdk/src/auth/network/network-zone.ts'

/** How a table of networks, or a guess at one, is written. */
const TABLES = [/\bBlockList\b/, /192\\?\.168\\?\./, /\b(?:fe80|fc00)\b/, /\^127\\\.\//, /\|127\\\.(?!\\d)/]

test('three address tables: no file beside the one has networks of its own (sec-200)', () => {
  const found = listCode(ROOT, 'packages')
    .filter((file) => /^packages\/(?:sdk|host|servers|app)\/src\//.test(file) && !isTestFile(file) && file !== TABLE)
    .filter((file) => TABLES.some((table) => table.test(readFileSync(`${ROOT}/${file}`, 'utf8'))))
  expect(found).toEqual([])
})

const ADDRESSES = [
  '127.0.0.1',
  '10.0.0.1',
  '100.64.0.1',
  '168.63.129.16',
  '169.254.169.254',
  '192.0.0.1',
  '198.18.0.1',
  '203.0.113.1',
  '240.0.0.1',
  '[::1]',
  '[::ffff:10.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:a00:1::]',
  '[2001:db8::1]',
  '[2001:0:1::]',
  '[fd00::1]',
  '[fe80::1]',
  '0x7f.1',
  '017700000001',
  '2852039166',
]

test.each(ADDRESSES)(
  'three address tables: %s is refused by all who fetch for strangers (sec-92, sec-200)',
  async (host) => {
    const url = new URL(`https://${host}/x`)
    expect(zoneOfAddress(url.hostname.replace(/^\[|\]$/g, ''))).not.toBe('public')
    await expect(createGuardedFetch({ server: new URL('https://example.com/mcp') })(url.href, {})).rejects.toThrow(
      'address',
    )
    await expect(createDocumentFetch()(url.href)).rejects.toThrow('address')
    expect(() => createDestinations().judgeUrl(url)).toThrow('address')
  },
)

test.each(['127.evil.example', '127.0.0.1.evil.example', 'localhost.evil.example'])(
  '%s is not this computer',
  (host) => {
    expect(JSON.stringify(inspectUrl(`https://${host}/`))).not.toContain('this computer')
  },
)
