/**
 * What becomes of a result that is over its budget (`budget.ts`): the first whole items of an array with a link to the
 * rest, or a link to all of it. Loaded for the first such result.
 */

import { isObject } from '../../jsonrpc/message.ts'
import type { ContentBlock } from '../../protocol/content.ts'
import type { CallToolResult } from '../../protocol/tools.ts'
import { textError } from '../features/tool-result.ts'
import type { Part, SpillStore } from './budget-store.ts'
import { bytesOf } from './bytes.ts'

export { SpillStore } from './budget-store.ts'

/** Notes and links need room of their own. */
const NOTE_BYTES = 1024

/** One result that is too large, on its way to something that is not. */
export class Overflow {
  readonly #store: SpillStore
  readonly #owner: string | undefined
  readonly #result: CallToolResult
  readonly #maxBytes: number
  /** The tool promised structured content of a schema: a part of it must not pass for the whole. */
  readonly #declared: boolean

  constructor(
    store: SpillStore,
    owner: string | undefined,
    result: CallToolResult,
    { maxBytes, declared }: { readonly maxBytes: number; readonly declared: boolean },
  ) {
    this.#store = store
    this.#owner = owner
    this.#result = result
    this.#maxBytes = maxBytes
    this.#declared = declared
  }

  toResult(): CallToolResult {
    return this.#paged() ?? this.#whole()
  }

  /** The first whole items of an array, or of the one array that makes an object large. */
  #paged(): CallToolResult | undefined {
    const { structuredContent: value, isError } = this.#result
    if (this.#declared || isError) return undefined
    const key = isObject(value) ? largestArray(value) : undefined
    const items = Array.isArray(value) ? value : key === undefined || !isObject(value) ? undefined : value[key]
    if (!Array.isArray(items) || items.length < 2) return undefined
    const texts = items.map((item) => JSON.stringify(item) ?? 'null')
    // Shown twice, as text and as structure, and quoted once more on the way: try less until it fits.
    for (let room = this.#maxBytes / 2; room > 64; room /= 2) {
      const shown = countWithin(texts, 0, room)
      if (shown === 0) return undefined
      const head = items.slice(0, shown)
      const page = key === undefined || !isObject(value) ? head : { ...value, [key]: head }
      const text = JSON.stringify(page)
      const bytes = bytesOf(text) + bytesOf(JSON.stringify(text)) + NOTE_BYTES
      if (bytes <= this.#maxBytes) return this.#page(page, texts, shown, key)
    }
    return undefined
  }

  #page(page: unknown, texts: readonly string[], shown: number, key: string | undefined): CallToolResult | undefined {
    const parts: Part[] = []
    let bytes = 0
    for (let at = shown; at < texts.length; ) {
      const count = Math.max(1, countWithin(texts, at, this.#maxBytes / 2))
      const text = `[${texts.slice(at, at + count).join(',')}]`
      parts.push([{ mimeType: 'application/json', text }])
      bytes += bytesOf(text)
      at += count
    }
    const where = this.#store.keep(this.#owner, parts, bytes)
    if (where === undefined) return undefined
    const of = key === undefined ? 'items' : `items of "${key}"`
    const note =
      `These are the first ${shown} of ${texts.length} ${of}; the others did not fit and are kept as ` +
      `${parts.length} resource${parts.length === 1 ? '' : 's'} for ${this.#minutes()}. Read ${where(1)} for the next ` +
      `ones only if they are needed, or call again with narrower arguments.`
    return {
      ...this.#result,
      content: [{ type: 'text', text: JSON.stringify(page) }, { type: 'text', text: note }, this.#link(where(1))],
      structuredContent: page,
    }
  }

  /** All of it as one resource. */
  #whole(): CallToolResult {
    const { content, structuredContent, isError, _meta } = this.#result
    const part: Part =
      structuredContent === undefined
        ? content.map(toContents)
        : [{ mimeType: 'application/json', text: JSON.stringify(structuredContent) }]
    const bytes = bytesOf(JSON.stringify(part))
    const where = this.#store.keep(this.#owner, [part], bytes)
    if (where === undefined) {
      return textError(`The result has ${bytes} bytes, which is too much to keep. Call again with narrower arguments.`)
    }
    const note =
      `The result has ${bytes} bytes, more than the ${this.#maxBytes} that are sent at once, so it is kept as the resource ` +
      `${where(1)} for ${this.#minutes()}. Nothing of it is lost. Call again with narrower arguments if a part is enough; ` +
      `otherwise read the resource.`
    return {
      content: [{ type: 'text', text: note }, this.#link(where(1))],
      // Without the structured content that was promised, only an error is a valid answer.
      ...((this.#declared || isError) && { isError: true }),
      ...(_meta !== undefined && { _meta }),
    }
  }

  #link(uri: string): ContentBlock {
    return { type: 'resource_link', uri, name: 'large-result', description: 'What did not fit into the result' }
  }

  #minutes(): string {
    const minutes = Math.max(1, Math.round(this.#store.ttlMs / 60_000))
    return minutes === 1 ? 'a minute' : `${minutes} minutes`
  }
}

/** How many texts from `from` on have at most `room` bytes together. */
function countWithin(texts: readonly string[], from: number, room: number): number {
  let used = 2
  let count = 0
  for (let at = from; at < texts.length; at++) {
    used += bytesOf(texts[at] ?? '') + 1
    if (used > room) break
    count++
  }
  return count
}

/** The member that holds more than half of an object's JSON, if it is an array. */
function largestArray(value: { [key: string]: unknown }): string | undefined {
  const total = JSON.stringify(value).length
  return Object.keys(value).find((key) => {
    const member = value[key]
    return Array.isArray(member) && JSON.stringify(member).length * 2 > total
  })
}

function toContents(block: ContentBlock): Part[number] {
  switch (block.type) {
    case 'text':
      return { mimeType: 'text/plain', text: block.text }
    case 'image':
    case 'audio':
      return { mimeType: block.mimeType, blob: block.data }
    case 'resource':
      return block.resource
    case 'resource_link':
      return { mimeType: 'application/json', text: JSON.stringify(block) }
  }
}
