/**
 * Skills as data (extension `io.modelcontextprotocol/skills`, SEP-2640): folders of instructions that a server lists and a
 * host loads when they are needed. The files are resources; what is here is the list, and how files are held against it.
 */

import { isObject, type JsonObject } from '../../jsonrpc/message.ts'

/** The name of the extension for skills. */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills'
export const SKILL_FILE = 'SKILL.md'

/** The most files and bytes that one skill may have: servers should stay within it, and hosts need not take more. */
export const SKILL_LIMITS = { maxFiles: 512, maxBytes: 16 * 1024 * 1024 } as const

/** One file of a skill, with the digest and size that its bytes must have. */
export interface SkillFile {
  readonly uri: string
  /** `sha256:` and 64 lower-case hexadecimal digits, over the raw bytes. */
  readonly digest: string
  readonly size: number
}

/** A skill as a server lists it. */
export interface SkillEntry {
  /** The URI of the skill's `SKILL.md`. */
  readonly uri: string
  /** The YAML at the top of `SKILL.md`, as JSON; `name` and `description` are always there. */
  readonly frontmatter: JsonObject & { readonly name: string; readonly description: string }
  /** Every file, `SKILL.md` included; or `dynamic`, where nothing can be promised. */
  readonly resources: readonly SkillFile[] | 'dynamic'
}

/** Agent Skills: 1 to 64 lower-case letters, digits and single hyphens, none at either end. */
export function isSkillName(name: string): boolean {
  return /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/.test(name)
}

/** The name that a skill's URI ends in, before `/SKILL.md`. */
function skillNameOf(uri: string): string | undefined {
  const steps = /^[a-z][a-z0-9+.-]*:\/\/(.+)$/i.exec(uri)?.[1]?.split('/') ?? []
  return steps.at(-1) === SKILL_FILE ? steps.at(-2) : undefined
}

/** The folder of a skill, with the slash at its end. */
export function skillFolderOf(uri: string): string {
  return uri.slice(0, uri.length - SKILL_FILE.length)
}

/** Reads an entry from the wire; the reason why not is a sentence for people. */
export function readSkillEntry(value: unknown): SkillEntry | string {
  if (!isObject(value) || typeof value.uri !== 'string') return 'it has no uri'
  const { uri, frontmatter, resources } = value
  if (!isObject(frontmatter) || !isText(frontmatter.name) || !isText(frontmatter.description)) {
    return 'its frontmatter lacks a name or a description'
  }
  if (skillNameOf(uri) !== frontmatter.name) return 'its uri does not end in its name'
  if (resources !== 'dynamic') {
    const reason = Array.isArray(resources)
      ? fileFault(uri, resources)
      : 'its resources are neither a list nor "dynamic"'
    if (reason !== undefined) return reason
  }
  // Every member that the type names has been looked at above.
  return value as unknown as SkillEntry
}

export async function skillDigest(bytes: Uint8Array): Promise<string> {
  // A fresh copy is backed by a plain buffer, which is what the hash takes.
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function fileFault(uri: string, files: readonly unknown[]): string | undefined {
  if (files.length > SKILL_LIMITS.maxFiles) return `it has more than ${SKILL_LIMITS.maxFiles} files`
  const seen = new Set<string>()
  let total = 0
  for (const file of files) {
    if (!isObject(file) || typeof file.uri !== 'string') return 'a file has no uri'
    if (!isInside(file.uri, skillFolderOf(uri))) return `"${file.uri}" is not in the skill's folder`
    if (seen.has(file.uri)) return `"${file.uri}" is listed twice`
    seen.add(file.uri)
    if (typeof file.digest !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(file.digest)) return 'a digest is no SHA-256'
    if (!Number.isSafeInteger(file.size) || Number(file.size) < 0) return 'a size is no number of bytes'
    total += Number(file.size)
  }
  if (total > SKILL_LIMITS.maxBytes) return `it has more than ${SKILL_LIMITS.maxBytes} bytes`
  return seen.has(uri) ? undefined : `its list lacks ${SKILL_FILE} itself`
}

function isInside(uri: string, folder: string): boolean {
  if (!uri.startsWith(folder)) return false
  return uri
    .slice(folder.length)
    .split('/')
    .every((step) => step !== '' && step !== '.' && step !== '..' && !/%2e|%2f|%5c|\\|[?#]/i.test(step))
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
