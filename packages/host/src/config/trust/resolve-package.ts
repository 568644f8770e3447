/**
 * Asks an npm registry which version of a package would be fetched now, and what its content is, so that
 * `version-ledger.ts` can tell when that changes. The registry and the way to it are given; nothing is downloaded.
 */

import { HostError } from '../../errors.ts'
import type { PackageReference } from './package-reference.ts'

/** The exact version of a package that a registry has for a name now, and the digest of its content. */
export interface ResolvedPackage {
  readonly name: string
  readonly version: string
  /** As the registry states it: `sha512-…`. */
  readonly integrity: string
}

/** Options of `resolvePackage`: which registry is asked, and how long it may take. */
export interface ResolvePackageOptions {
  /** The base URL of the registry, as `npm config get registry` tells. */
  readonly registry: string
  readonly fetch?: typeof fetch
  /** 10 seconds unless given. */
  readonly timeoutMs?: number
}

/**
 * Asks an npm registry which version of a package would be downloaded now. Undefined for packages of other registries,
 * and for those fetched from a repository.
 *
 * @example
 * ```ts
 * import { DEFAULT_REGISTRY, packageOf, resolvePackage } from '@portico/host/config'
 *
 * const reference = packageOf({ kind: 'stdio', command: 'npx', args: ['-y', 'some-server'], env: {} })
 * const now = reference && (await resolvePackage(reference, { registry: DEFAULT_REGISTRY }))
 * ```
 */
export async function resolvePackage(
  reference: PackageReference,
  options: ResolvePackageOptions,
): Promise<ResolvedPackage | undefined> {
  const { registry, name, version = 'latest', remote } = reference
  if (registry !== 'npm' || remote || !NAME.test(name) || !VERSION.test(version)) return undefined
  const base = options.registry.endsWith('/') ? options.registry : `${options.registry}/`
  const url = new URL(`${name.replace('/', '%2F')}/${encodeURIComponent(version)}`, base)
  const answer = await ask(url, options)
  return checkAnswer(answer, name)
}

const NAME = /^(?:@[a-z\d~-][\w.~-]{0,213}\/)?[a-z\d~-][\w.~-]{0,213}$/i
const VERSION = /^[\w.^~<>=*+| -]{1,128}$/
const MAX_BYTES = 1_048_576

async function ask(url: URL, { fetch: send = fetch, timeoutMs = 10_000 }: ResolvePackageOptions): Promise<unknown> {
  try {
    if (!/^https?:$/.test(url.protocol)) throw new Error('it is no address of the web')
    const response = await send(url, {
      // Only the registry itself is asked, not whoever it names.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: 'application/json' },
    })
    if (!response.ok) throw new Error(`the registry answered ${response.status}`)
    return JSON.parse(await readText(response))
  } catch (cause) {
    throw new HostError('unavailable', `The registry at ${url.host} could not be asked about the package`, { cause })
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error('the answer is too large')
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function checkAnswer(answer: unknown, name: string): ResolvedPackage {
  // Each member is checked below before it is believed.
  const {
    name: named,
    version,
    dist,
  } = (answer ?? {}) as { name?: unknown; version?: unknown; dist?: { integrity?: unknown; shasum?: unknown } }
  const integrity = dist?.integrity ?? (typeof dist?.shasum === 'string' ? `sha1-${dist.shasum}` : undefined)
  if (named !== name || !isVersion(version) || !isShort(integrity)) {
    throw new HostError('unavailable', `The registry's answer about ${name} makes no sense`)
  }
  return { name, version, integrity }
}

/** Nothing but a version is shown as one: https://semver.org. */
function isVersion(value: unknown): value is string {
  return isShort(value) && SEMVER.test(value)
}

const NUMBER = String.raw`(?:0|[1-9]\d*)`
const PRERELEASE = String.raw`(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)`
const SEMVER = new RegExp(
  String.raw`^${NUMBER}\.${NUMBER}\.${NUMBER}(?:-${PRERELEASE}(?:\.${PRERELEASE})*)?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$`,
)

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 512
}
