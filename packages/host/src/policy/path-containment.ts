/**
 * Whether a path is in a folder, worked out from its text: `..`, repeated and foreign separators, file URIs and
 * percent-encoding are resolved first. Links on the disk are not followed: servers that read files must do that.
 */

interface ContainmentOptions {
  /** What relative paths start from, where it is known. */
  readonly workspace?: string
  readonly home: string
  /** What cannot be excluded counts as contained; letters count in any case. */
  readonly wide: boolean
}

export function isUnder(value: string, folder: string, { workspace, home, wide }: ContainmentOptions): boolean {
  const root = toParts(expand(folder, home))
  if (root === undefined) return false
  const decoded = fromUri(value)
  if (decoded === undefined || decoded.includes('\0')) return wide
  // Where `\\` is a letter like any other, a permission must not take it for a separator.
  if (!wide && decoded.includes('\\') && folder.startsWith('/')) return false
  const expanded = expand(decoded, home)
  const absolute = isAbsolute(expanded) ? expanded : workspace && `${workspace}/${expanded}`
  // Relative to a place that nobody knows: only what climbs out of it can lead to the folder.
  if (!absolute) return wide && /(^|[\\/])\.\.([\\/]|$)/.test(expanded)
  const written = toParts(absolute)
  const parts = written && withoutLinks(written)
  // A link of the system leads to anywhere: no permission can be sure of it.
  if (parts === undefined || (!wide && parts !== written) || parts.length < root.length) return false
  return root.every((part, index) => same(part, parts[index]!, wide))
}

/** `/proc/self/root` is the root again. */
function withoutLinks(parts: readonly string[]): readonly string[] {
  const [first = '', , third = '', , fifth = ''] = parts
  if (first.toLowerCase() !== 'proc') return parts
  if (third.toLowerCase() === 'root') return withoutLinks(parts.slice(3))
  return third.toLowerCase() === 'task' && fifth.toLowerCase() === 'root' ? withoutLinks(parts.slice(5)) : parts
}

function same(a: string, b: string, wide: boolean): boolean {
  return a === b || (wide && a.normalize('NFKC').toLowerCase() === b.normalize('NFKC').toLowerCase())
}

function isAbsolute(path: string): boolean {
  return /^([\\/]|[A-Za-z]:([\\/]|$))/.test(path)
}

function expand(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') || path.startsWith('~\\') ? home + path.slice(1) : path
}

/** Undefined for a file URI that cannot be read. */
function fromUri(value: string): string | undefined {
  if (!/^file:/i.test(value)) return value
  try {
    const { hostname, pathname } = new URL(value)
    if (hostname !== '' && hostname !== 'localhost') return undefined
    const path = decodeURIComponent(pathname)
    return /^\/[A-Za-z]:/.test(path) ? path.slice(1) : path
  } catch {
    return undefined
  }
}

/** The folders from the root; undefined for a path that is not absolute. */
function toParts(path: string): string[] | undefined {
  if (!isAbsolute(path)) return undefined
  const parts: string[] = []
  for (const part of path.split(/[\\/]+/)) {
    if (part === '' || part === '.') continue
    if (part === '..') {
      // A drive is not left by climbing.
      if (parts.length > 0 && !/^[A-Za-z]:$/.test(parts.at(-1)!)) parts.pop()
    } else parts.push(part)
  }
  return parts
}
