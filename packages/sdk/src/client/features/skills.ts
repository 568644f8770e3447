/**
 * Skills from the client's side (SEP-2640): lists them, and loads one when it is wanted, never before. A file is used only
 * if its length and digest are those of the entry, and `SKILL.md` only if its frontmatter is what was listed, so that a
 * server cannot show one thing for approval and serve another.
 */

import { PorticoError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { ReadResourceResult } from '../../protocol/resources.ts'
import {
  readSkillEntry,
  SKILL_LIMITS,
  SKILLS_EXTENSION,
  type SkillEntry,
  skillDigest,
  skillFolderOf,
} from '../../protocol/skills/skills.ts'
import { parseFrontmatter } from '../../protocol/skills/skills-frontmatter.ts'

/** The part of a client that `Skills` uses. */
export interface SkillSource {
  readonly server: { readonly capabilities: { readonly extensions?: { readonly [id: string]: unknown } } }
  request(method: string, params?: JsonObject): Promise<JsonObject>
  readResource(uri: string): Promise<ReadResourceResult>
}

/** A server's skills, as a client reads them. */
export class Skills {
  readonly #source: SkillSource

  constructor(source: SkillSource) {
    this.#source = source
  }

  /** Whether the server says that it has skills. */
  get offered(): boolean {
    const { extensions } = this.#source.server.capabilities
    return isObject(extensions) && Object.hasOwn(extensions, SKILLS_EXTENSION)
  }

  /** What there is, from the list alone: no file is read. Entries that are not valid are left out. */
  async list(): Promise<SkillEntry[]> {
    this.#requireOffer()
    const entries: SkillEntry[] = []
    const cursors = new Set<string>()
    for (let cursor: string | undefined; ; ) {
      const result = await this.#source.request('skills/list', cursor === undefined ? {} : { cursor })
      if (!Array.isArray(result.skills))
        throw new PorticoError('invalid-message', 'skills/list answered without skills')
      for (const one of result.skills) {
        const entry = readSkillEntry(one)
        if (typeof entry !== 'string') entries.push(entry)
      }
      const { nextCursor } = result
      if (typeof nextCursor !== 'string' || nextCursor === '') return entries
      if (cursors.has(nextCursor) || cursors.size >= MAX_PAGES || entries.length >= MAX_ENTRIES) {
        throw new PorticoError('limit-exceeded', `skills/list does not end within ${MAX_PAGES} pages`)
      }
      cursors.add(nextCursor)
      cursor = nextCursor
    }
  }

  /** The entry of one skill, by the URI of its `SKILL.md`. */
  async get(uri: string): Promise<SkillEntry> {
    this.#requireOffer()
    const { skill } = await this.#source.request('skills/get', { uri })
    const entry = readSkillEntry(skill)
    if (typeof entry === 'string')
      throw new PorticoError('invalid-message', `The entry of ${uri} is not valid: ${entry}`)
    if (entry.uri !== uri)
      throw new PorticoError('invalid-message', `Asked for ${uri}, the server answered with another skill`)
    return entry
  }

  /** Reads and verifies `SKILL.md`. Other files are read one by one, when the skill asks for them. */
  async load(entry: SkillEntry): Promise<LoadedSkill> {
    const bytes = await readVerified(this.#source, entry, entry.uri)
    const instructions = decodeUtf8(bytes, entry.uri)
    if (!isEqual(parseFrontmatter(instructions), entry.frontmatter)) {
      throw new PorticoError('invalid-result', `The frontmatter of ${entry.uri} is not the one that was listed`)
    }
    return new LoadedSkill(this.#source, entry, instructions)
  }

  #requireOffer(): void {
    if (this.offered) return
    throw new PorticoError('capability-missing', `The server does not offer ${SKILLS_EXTENSION}`, {
      delivery: 'not-sent',
    })
  }
}

/** A skill whose `SKILL.md` was read, and has the digest and the frontmatter that its entry lists. */
export class LoadedSkill {
  readonly entry: SkillEntry
  /** The whole text of `SKILL.md`. */
  readonly instructions: string
  readonly #source: SkillSource

  constructor(source: SkillSource, entry: SkillEntry, instructions: string) {
    this.#source = source
    this.entry = entry
    this.instructions = instructions
  }

  get name(): string {
    return this.entry.frontmatter.name
  }

  /**
   * Reads a file by its path within the skill. Its size and digest must be those of the entry, unless the skill is
   * `dynamic`.
   */
  read(path: string): Promise<Uint8Array> {
    return readVerified(this.#source, this.entry, skillFolderOf(this.entry.uri) + path)
  }

  async readText(path: string): Promise<string> {
    return decodeUtf8(await this.read(path), path)
  }
}

const MAX_PAGES = 64
const MAX_ENTRIES = 10_000
const MAX_DEPTH = 64

async function readVerified(source: SkillSource, entry: SkillEntry, uri: string): Promise<Uint8Array> {
  const { resources } = entry
  const file = resources === 'dynamic' ? undefined : resources.find((one) => one.uri === uri)
  if (resources !== 'dynamic' && file === undefined) {
    throw new PorticoError('not-found', `${uri} is not among the files of the skill`, { delivery: 'not-sent' })
  }
  if (resources === 'dynamic' && !isWithin(uri, skillFolderOf(entry.uri))) {
    throw new PorticoError('not-found', `${uri} is not in the folder of the skill`, { delivery: 'not-sent' })
  }
  const bytes = toBytes(uri, await source.readResource(uri))
  if (file === undefined) {
    if (bytes.length <= SKILL_LIMITS.maxBytes) return bytes
    throw new PorticoError('limit-exceeded', `${uri} has more than ${SKILL_LIMITS.maxBytes} bytes`)
  }
  if (bytes.length !== file.size) {
    throw new PorticoError('invalid-result', `${uri} has ${bytes.length} bytes where ${file.size} were listed`)
  }
  if ((await skillDigest(bytes)) !== file.digest) {
    throw new PorticoError('invalid-result', `The contents of ${uri} are not those that were listed`)
  }
  return bytes
}

function isWithin(uri: string, folder: string): boolean {
  const path = uri.slice(folder.length)
  return uri.startsWith(folder) && !/%2e|%2f|%5c|\\/i.test(path) && !path.split('/').includes('..')
}

function toBytes(uri: string, { contents }: ReadResourceResult): Uint8Array {
  const one = contents.find((content) => content.uri === uri) ?? (contents.length === 1 ? contents[0] : undefined)
  if (one !== undefined && 'text' in one && typeof one.text === 'string') return new TextEncoder().encode(one.text)
  if (one !== undefined && 'blob' in one && typeof one.blob === 'string') {
    try {
      return Uint8Array.from(atob(one.blob), (char) => char.charCodeAt(0))
    } catch (cause) {
      throw new PorticoError('invalid-message', `The contents of ${uri} are no Base64`, { cause })
    }
  }
  throw new PorticoError('invalid-message', `Reading ${uri} gave no contents`)
}

function decodeUtf8(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new PorticoError('invalid-result', `${what} is no UTF-8 text`, { cause })
  }
}

/** Field by field, whatever the order of keys. */
function isEqual(a: unknown, b: unknown, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index], depth + 1))
  }
  if (!isObject(a) || !isObject(b)) return a === b
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key], depth + 1))
}
