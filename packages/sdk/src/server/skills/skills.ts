/**
 * The skills extension on a server (SEP-2640), made of nothing but what `extension.ts` offers to everybody: two methods,
 * or three with folders, and resources for the files. Records come from the author or, with `skills-folder.ts`, from disk.
 */

import { INVALID_PARAMS, invalidDefinition, RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { Resource } from '../../protocol/resources.ts'
import {
  isSkillName,
  readSkillEntry,
  SKILL_FILE,
  SKILLS_EXTENSION,
  type SkillEntry,
  skillDigest,
} from '../../protocol/skills/skills.ts'
import { parseFrontmatter } from '../../protocol/skills/skills-frontmatter.ts'
import { stringParam } from '../call/method.ts'
import type { Extension } from '../features/extension.ts'
import { type CacheHint, type ResourceDefinition, resource } from '../items/definition.ts'

/** One skill: its files by path, `SKILL.md` among them. */
export interface SkillRecord {
  /** Where it lives below `skill://`, as `office/pdf-processing`. The name in the frontmatter unless given. */
  readonly path?: string
  readonly files: { readonly [path: string]: string | Uint8Array }
}

/** Which skills a server offers. */
export interface SkillsOptions {
  readonly records: readonly SkillRecord[]
  /** How long clients may keep the list; `ttlMs` is 0 by default. */
  readonly cache?: CacheHint
}

/**
 * Makes the extension that offers skills to clients. A mistake in a skill is thrown here.
 *
 * @example
 * ```ts
 * import { skills } from '@portico/sdk/skills'
 * import { createServer } from '@portico/sdk/server'
 *
 * const text = '---\nname: tea\ndescription: Makes tea\n---\nBoil water.'
 * const server = createServer({
 *   name: 'kitchen',
 *   version: '1.0.0',
 *   extensions: [skills({ records: [{ files: { 'SKILL.md': text } }] })],
 * })
 * ```
 */
export function skills({ records, cache = {} }: SkillsOptions): Extension {
  const shelf = new Map(records.map((record) => toSkill(record)).map((skill) => [skill.uri, skill]))
  if (shelf.size < records.length) throw invalidDefinition('Two skills have the same path')
  const entries = new Map<string, Promise<SkillEntry>>()
  // Digests are made when first asked for, once: a server that nobody asks for skills pays nothing.
  const entryOf = (skill: Skill): Promise<SkillEntry> => {
    const known = entries.get(skill.uri) ?? toEntry(skill)
    entries.set(skill.uri, known)
    return known
  }
  const hints = { ttlMs: cache.ttlMs ?? 0, cacheScope: cache.scope ?? 'private' }
  const folders = toFolders([...shelf.values()])
  return {
    id: SKILLS_EXTENSION,
    settings: { directoryRead: true },
    methods: {
      'skills/list': {
        run: async (): Promise<JsonObject> => ({
          skills: await Promise.all([...shelf.values()].map(entryOf)),
          ...hints,
        }),
      },
      'skills/get': {
        run: async (params): Promise<JsonObject> => {
          const skill = shelf.get(stringParam(params, 'uri'))
          if (skill === undefined) throw notHere('skill')
          return { skill: await entryOf(skill), ...hints }
        },
      },
      'resources/directory/read': {
        run: (params): JsonObject => {
          const children = folders.get(stringParam(params, 'uri').replace(/\/$/, ''))
          if (children === undefined) throw notHere('folder')
          return { resources: [...children.values()], ...hints }
        },
      },
    },
    resources: [...shelf.values()].flatMap(toResources),
  }
}

interface Skill {
  readonly uri: string
  readonly folder: string
  readonly frontmatter: SkillEntry['frontmatter']
  readonly files: ReadonlyMap<string, Uint8Array>
}

function toSkill({ path, files }: SkillRecord): Skill {
  const where = path ?? 'a skill without a path'
  const main = Object.hasOwn(files, SKILL_FILE) ? files[SKILL_FILE] : undefined
  if (main === undefined) throw invalidDefinition(`Skill "${where}" has no ${SKILL_FILE}`)
  const frontmatter = parseFrontmatter(typeof main === 'string' ? main : new TextDecoder().decode(main))
  const { name, description } = frontmatter
  if (typeof name !== 'string' || typeof description !== 'string' || description === '') {
    throw invalidDefinition(`Skill "${where}" needs a name and a description in its frontmatter`)
  }
  const steps = (path ?? name).split('/')
  if (!isSkillName(name) || steps.at(-1) !== name || !steps.every(isPlainStep)) {
    throw invalidDefinition(`Skill "${where}" must end in its own name, which is lower-case, digits and "-"`)
  }
  const folder = `skill://${steps.join('/')}/`
  const encoder = new TextEncoder()
  const bytes = Object.entries(files).map(([file, content]): [string, Uint8Array] => {
    if (!file.split('/').every(isPlainStep)) throw invalidDefinition(`Skill "${where}": "${file}" is no plain path`)
    return [folder + file, typeof content === 'string' ? encoder.encode(content) : content]
  })
  return { uri: folder + SKILL_FILE, folder, frontmatter: { ...frontmatter, name, description }, files: new Map(bytes) }
}

/** Letters that need no escaping in a URI, so that a path is the same in both. */
function isPlainStep(step: string): boolean {
  return /^[A-Za-z0-9_~][A-Za-z0-9._~-]*$/.test(step)
}

async function toEntry({ uri, frontmatter, files }: Skill): Promise<SkillEntry> {
  const resources = await Promise.all(
    [...files].map(async ([file, bytes]) => ({ uri: file, digest: await skillDigest(bytes), size: bytes.length })),
  )
  const entry = readSkillEntry({ uri, frontmatter, resources })
  if (typeof entry === 'string') throw invalidDefinition(`Skill "${uri}": ${entry}`)
  return entry
}

function toResources({ uri, folder, frontmatter, files }: Skill): [string, ResourceDefinition][] {
  return [...files].map(([file, bytes]) => {
    const mimeType = mimeTypeOf(file)
    const text = isText(mimeType) ? decode(bytes) : undefined
    const isMain = file === uri
    const name = isMain ? frontmatter.name : `${frontmatter.name}/${file.slice(folder.length)}`
    const description = isMain ? frontmatter.description : `A file of the skill ${frontmatter.name}`
    const options = { uri: file, description, mimeType, size: bytes.length }
    // What is not UTF-8 would not come out as the bytes that the digest covers.
    return [name, resource(options, () => text ?? bytes)]
  })
}

/** Every folder of every skill, with its direct children. */
function toFolders(all: readonly Skill[]): Map<string, Map<string, Resource>> {
  const folders = new Map<string, Map<string, Resource>>()
  const childrenOf = (uri: string): Map<string, Resource> => {
    const known = folders.get(uri) ?? new Map<string, Resource>()
    folders.set(uri, known)
    return known
  }
  for (const { folder, files } of all) {
    for (const [file, bytes] of files) {
      const steps = file.slice(folder.length).split('/')
      let parent = folder.slice(0, -1)
      for (const [depth, name] of steps.entries()) {
        const uri = `${parent}/${name}`
        const leaf = depth === steps.length - 1
        const child = leaf
          ? { uri, name, mimeType: mimeTypeOf(file), size: bytes.length }
          : { uri, name, mimeType: 'inode/directory' }
        childrenOf(parent).set(uri, child)
        parent = uri
      }
    }
  }
  return folders
}

const MIME_TYPES: { readonly [ending: string]: string } = {
  md: 'text/markdown',
  txt: 'text/plain',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  html: 'text/html',
  css: 'text/css',
  csv: 'text/csv',
  js: 'text/javascript',
  ts: 'text/plain',
  py: 'text/x-python',
  sh: 'text/x-shellscript',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  pdf: 'application/pdf',
}

function mimeTypeOf(uri: string): string {
  const ending = uri.slice(uri.lastIndexOf('.') + 1).toLowerCase()
  return (Object.hasOwn(MIME_TYPES, ending) ? MIME_TYPES[ending] : undefined) ?? 'application/octet-stream'
}

function isText(mimeType: string): boolean {
  return mimeType.startsWith('text/') || /\/(?:json|yaml)$/.test(mimeType)
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function notHere(noun: string): RpcError {
  return new RpcError(INVALID_PARAMS, `Invalid params: uri names no ${noun} here`, {
    parameter: 'uri',
    reason: `names no ${noun} here`,
  })
}
