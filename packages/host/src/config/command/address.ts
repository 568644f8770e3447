/**
 * Addresses (URIs) of resources, compared by what they lead to and not by how they are spelled: case of scheme and host,
 * percent-encoding, `.` and `..`, fragments, default ports, user names. Views, rules and routes all compare with this.
 * A prohibition holds when any reading of an address matches; a permission needs the address as written and every reading.
 */

import { plainSpelling } from '../formats/spelling.ts'

/** Makes a test of one pattern; how patterns look is the caller's business. */
type PatternCompiler = (pattern: string) => (text: string) => boolean

export type AddressTest = (address: string) => boolean

/** What addresses that name their server begin with. Servers cannot list such addresses. */
export const QUALIFIED_SCHEME = 'portico:'

const WEB: { readonly [scheme: string]: string } = { http: '80', https: '443', ws: '80', wss: '443', ftp: '21' }
const THIS_MACHINE = /^(?:localhost|127(?:\.\d+){0,3}|\[::1\])\.?$/
const PARTS = /^([a-z][a-z0-9+.-]*):(\/\/)?(.*)$/is

/** Whether an address claims to name its server, however it is spelled. */
export function isQualified(address: string): boolean {
  return plainSpelling(address)?.toLowerCase().startsWith(QUALIFIED_SCHEME) ?? true
}

/** One spelling for all that lead to the same place, its fragment left out. Undefined for what nobody can read. */
export function normaliseAddress(address: string): string | undefined {
  const plain = plainSpelling(address)
  return plain === undefined ? undefined : withoutFragment(toNormal(plain, false))
}

/** Holds for an address when any pattern matches any reading of it. */
export function createAddressDenial(patterns: readonly string[], compile: PatternCompiler): AddressTest {
  const tests = patterns.flatMap((pattern) => [pattern, ...patternReadings(pattern)]).map(compile)
  const queries = patterns.flatMap((pattern) => createQueryDenial(pattern, compile) ?? [])
  const matches = (text: string) => tests.some((test) => test(text)) || queries.some((test) => test(text))
  return (address) => {
    if (matches(address)) return true
    const found = readingsOf(address)
    return found === undefined || found.some((one) => matches(one) || matches(withoutFragment(one)))
  }
}

/**
 * For a pattern with a query: holds for what has all its parameters, in any order and whatever else is there. Servers
 * read parameters by name, so that others beside them change nothing.
 */
function createQueryDenial(pattern: string, compile: PatternCompiler): AddressTest | undefined {
  const [first] = patternReadings(pattern)
  const asked = first === undefined ? undefined : splitQuery(withoutFragment(first))
  if (asked === undefined || asked.parameters.length === 0) return undefined
  const isBase = compile(asked.base)
  // Parameters without a value mostly say nothing, unless there are no others.
  const valued = asked.parameters.filter((one) => one.includes('='))
  const wanted = (valued.length > 0 ? valued : asked.parameters).map(compile)
  return (address) => {
    const { base, parameters } = splitQuery(withoutFragment(address)) ?? { base: '', parameters: [] }
    return parameters.length > 0 && isBase(base) && wanted.every((test) => parameters.some((one) => test(one)))
  }
}

/** Undefined for an address without a query. */
function splitQuery(address: string): { base: string; parameters: readonly string[] } | undefined {
  const at = address.indexOf('?')
  if (at < 0) return undefined
  const parameters = address
    .slice(at + 1)
    .split(/[&;]/)
    .map((one) => one.replace(/=$/, ''))
  return { base: address.slice(0, at).replace(/\/$/, ''), parameters: parameters.filter((one) => one !== '') }
}

/** Holds for an address when one pattern matches it as it is written and in every reading. */
export function createAddressPermission(patterns: readonly string[], compile: PatternCompiler): AddressTest {
  const tests = patterns.map((pattern) => ({
    literal: compile(pattern),
    readings: [pattern, ...patternReadings(pattern)].map(compile),
  }))
  return (address) => {
    const found = readingsOf(address)
    if (found === undefined) return false
    return tests.some(
      ({ literal, readings }) => literal(address) && found.every((one) => readings.some((test) => test(one))),
    )
  }
}

/** The ways in which an address can be taken; the first is the normal one. */
function readingsOf(address: string): readonly string[] | undefined {
  const plain = plainSpelling(address)
  if (plain === undefined) return undefined
  const normal = toNormal(plain, false)
  // Servers with schemes of their own often take everything after it for a path.
  const loose = toNormal(plain, true)
  return normal === loose ? [normal] : [normal, loose]
}

function patternReadings(pattern: string): readonly string[] {
  const plain = plainSpelling(pattern)
  return plain === undefined ? [] : [toNormal(plain, false), toNormal(plain, true)]
}

function toNormal(plain: string, asPath: boolean): string {
  const [, scheme, slashes = '', rest = ''] = PARTS.exec(plain.replaceAll('\\', '/')) ?? []
  if (scheme === undefined) return plain
  const name = scheme.toLowerCase()
  // An encoded `?` or `#` is a letter of the path for one server and ends it for another.
  const end = asPath ? -1 : rest.search(/[?#]/)
  const before = end < 0 ? rest : rest.slice(0, end)
  const after = (end < 0 ? '' : rest.slice(end)).replace(/^\?(?=#|$)/, '').replace(/#$/, '')
  const slash = slashes === '' ? 0 : before.indexOf('/')
  const authority = slash < 0 ? before : before.slice(0, slash)
  const path = slash < 0 ? '' : before.slice(slash)
  if (asPath && slashes !== '' && !Object.hasOwn(WEB, name)) {
    return `${name}://${withCase(resolveDots(`${authority.toLowerCase()}${path}`), name)}`
  }
  // Files have no host of their own: `file:/x` is `file:///x`.
  const start = name === 'file' && path.startsWith('/') ? '//' : slashes
  return `${name}:${start}${toHost(authority, name)}${withCase(resolveDots(path), name)}${after}`
}

function toHost(authority: string, scheme: string): string {
  const host = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase()
  const port = Object.hasOwn(WEB, scheme) ? WEB[scheme] : undefined
  const bare = port !== undefined && host.endsWith(`:${port}`) ? host.slice(0, -port.length - 1) : host
  if (scheme === 'file' && THIS_MACHINE.test(bare)) return ''
  return bare.replace(/(?<![:.])[:.]+$/, '')
}

/** File systems may take letters in any case. */
function withCase(path: string, scheme: string): string {
  return scheme === 'file' ? path.toLowerCase() : path
}

function resolveDots(path: string): string {
  const isRooted = path.startsWith('/')
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..') parts.pop()
    else parts.push(part)
  }
  return (isRooted && parts.length > 0 ? '/' : '') + parts.join('/')
}

function withoutFragment(address: string): string {
  const at = address.indexOf('#')
  return at < 0 ? address : address.slice(0, at)
}
