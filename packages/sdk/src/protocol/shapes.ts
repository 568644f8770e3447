/**
 * Whether what a peer sent has the types that this package promises of it. A program reads `block.text` and `tool.title`
 * by those types: a null or a number there, from a server that does not care, would be a `TypeError` in the program.
 * What is not known here is let pass, since later revisions add members and kinds of content.
 */

import { isObject, type JsonObject } from '../jsonrpc/message.ts'

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number'
const isFlag: Check = (value) => typeof value === 'boolean'
const every =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const having =
  (needed: { readonly [member: string]: Check }): Check =>
  (value) =>
    isObject(value) && Object.entries(needed).every(([member, check]) => check(value[member]))

/** The types of optional members, wherever they stand: on items, on blocks of content, on who a server says it is. */
const OPTIONAL: { readonly [member: string]: Check } = {
  title: isText,
  description: isText,
  mimeType: isText,
  websiteUrl: isText,
  size: isNumber,
  _meta: isObject,
  icons: every(having({ src: isText })),
  arguments: every(having({ name: isText })),
  annotations: (value) => isObject(value) && wrongMember(value, ANNOTATIONS) === undefined,
}

const ANNOTATIONS: { readonly [member: string]: Check } = {
  title: isText,
  readOnlyHint: isFlag,
  destructiveHint: isFlag,
  idempotentHint: isFlag,
  openWorldHint: isFlag,
  audience: every(isText),
  priority: isNumber,
  lastModified: isText,
}

const isContents: Check = (value) => isObject(value) && isText(value.uri) && (isText(value.text) || isText(value.blob))

/** What a block of each kind must have. A kind that is not here is somebody else's. */
const BLOCKS: { readonly [type: string]: Check } = {
  text: having({ text: isText }),
  image: having({ data: isText, mimeType: isText }),
  audio: having({ data: isText, mimeType: isText }),
  resource_link: having({ uri: isText, name: isText }),
  resource: having({ resource: isContents }),
  tool_use: having({ id: isText, name: isText, input: isObject }),
  tool_result: (value) => isObject(value) && isText(value.toolUseId) && areBlocks(value.content),
}

/** A block of content of any kind, with what its kind must have. */
function isBlock(value: unknown): boolean {
  if (!isObject(value) || typeof value.type !== 'string') return false
  const check = Object.hasOwn(BLOCKS, value.type) ? BLOCKS[value.type] : undefined
  return check === undefined || check(value)
}

export function areBlocks(value: unknown): boolean {
  return Array.isArray(value) && value.every(isBlock)
}

/** Contents of a resource: where from, and text or bytes. */
export function areContents(value: unknown): boolean {
  return Array.isArray(value) && value.every(isContents)
}

/** Messages of a prompt: each of somebody, with one block. */
export const areMessages: Check = every(having({ role: isRole, content: isBlock }))

/** Messages for a model: as those of prompts, and several blocks may stand in one. */
export const areSamplingMessages: Check = every(isSamplingMessage)

export function isSamplingMessage(value: unknown): boolean {
  return isObject(value) && isRole(value.role) && (isBlock(value.content) || areBlocks(value.content))
}

function isRole(value: unknown): boolean {
  return value === 'user' || value === 'assistant'
}

/** The first optional member that is of another type than it should be. */
export function wrongMember(value: JsonObject, types = OPTIONAL): string | undefined {
  return Object.keys(value).find((member) => Object.hasOwn(types, member) && types[member]?.(value[member]) === false)
}

/** The same without the members that are null or of the wrong type, for what has to be shown in any case. */
export function withoutWrong(value: JsonObject): JsonObject {
  const wrong = wrongMember(value)
  if (wrong === undefined) return value
  const { [wrong]: _, ...rest } = value
  return withoutWrong(rest)
}

/** The same without optional members that are null, as some servers write what they leave out. */
export function withoutNulls(value: JsonObject): JsonObject {
  const isEmpty = (member: string) => value[member] === null && Object.hasOwn(OPTIONAL, member)
  if (!Object.keys(value).some(isEmpty)) return value
  return Object.fromEntries(Object.entries(value).filter(([member]) => !isEmpty(member)))
}
