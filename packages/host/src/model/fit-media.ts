/**
 * Messages as a certain model can take them. A conversation keeps pictures, sounds and documents as they came, since
 * its model may change; just before a step, what this model cannot take becomes text where a reader finds some, and a
 * word about it where none does, for the model and for the person.
 */

import type { FilePart, ModelMessage, TextPart, ToolResultPart, UserModelMessage } from 'ai'
import { labelled, labelsIn, withoutLabels } from '../guard/foreign-text.ts'
import { bytesOf, isTextType, type Media, placeOf } from './media.ts'
import type { ModelConfig } from './model-config.ts'

/**
 * Finds the text in a document that a stranger made. Rejects with why there is none. `source` is the server that it came
 * from, if any: a reader should let those take turns.
 */
export type DocumentReader = (bytes: Uint8Array, mediaType: string, source?: string) => Promise<string>

/** How documents become text for a model that takes text alone. */
export interface MediaFitOptions {
  readonly readDocument?: DocumentReader
  /** Lets a server's words into the conversation, clean, and noted as the server's. */
  readonly admit?: (server: string, text: string) => string
}

/** A piece that did not reach the model as it is. */
export interface MediaNotice {
  readonly text: string
  readonly remedy?: string
}

/** An empty failure: it has no text by its nature. */
interface FoundMedia {
  readonly key: object
  readonly media: Media
  readonly server: string | undefined
}

type Found = { readonly text: string } | { readonly failure: string }

type ResultPiece = Extract<ToolResultPart['output'], { type: 'content' }>['value'][number]

/** Characters of one document that the model is given. */
const MAX_TEXT = 100_000

export class MediaFit {
  readonly #options: MediaFitOptions
  /** A document is read once, whatever number of steps it is part of. */
  readonly #texts = new WeakMap<object, Promise<Found>>()
  readonly #told = new WeakMap<object, Set<string>>()

  constructor(options: MediaFitOptions = {}) {
    this.#options = options
  }

  /** The same messages where the model takes all that is in them. */
  async fit(
    messages: readonly ModelMessage[],
    config: ModelConfig,
    tell: (notice: MediaNotice) => void = () => {},
  ): Promise<ModelMessage[]> {
    const fitted: ModelMessage[] = []
    let moved: (TextPart | FilePart)[] = []
    for (const message of messages) {
      // Providers want all results of a step before anything else is said.
      if (message.role !== 'tool' && moved.length > 0) {
        fitted.push({ role: 'user', content: moved })
        moved = []
      }
      if (message.role === 'tool') fitted.push(await this.#fitResults(message, config, tell, moved))
      else fitted.push(message.role === 'user' ? await this.#fitUser(message, config, tell) : message)
    }
    if (moved.length > 0) fitted.push({ role: 'user', content: moved })
    return fitted
  }

  async #fitUser(
    message: UserModelMessage,
    config: ModelConfig,
    tell: (notice: MediaNotice) => void,
  ): Promise<ModelMessage> {
    if (typeof message.content === 'string' || !message.content.some(({ type }) => type === 'file')) return message
    const content: UserModelMessage['content'] = []
    let server: string | undefined
    for (const part of message.content) {
      if (part.type === 'text') server = labelsIn(part.text).at(-1) ?? server
      const media = part.type === 'file' ? toMedia(part) : undefined
      if (media === undefined || placeOf(media, config).place !== 'no') content.push(part)
      else content.push({ type: 'text', text: await this.#describe({ key: part, media, server }, config, tell) })
    }
    return { ...message, content }
  }

  async #fitResults(
    message: Extract<ModelMessage, { role: 'tool' }>,
    config: ModelConfig,
    tell: (notice: MediaNotice) => void,
    moved: (TextPart | FilePart)[],
  ): Promise<ModelMessage> {
    const content: typeof message.content = []
    for (const part of message.content) {
      if (part.type !== 'tool-result' || part.output.type !== 'content') {
        content.push(part)
        continue
      }
      const { value } = part.output
      const [server] = value.flatMap((piece) => (piece.type === 'text' ? labelsIn(piece.text) : []))
      const pieces: ResultPiece[] = []
      for (const piece of value) {
        const media = toMedia(piece)
        const place = media === undefined ? 'anywhere' : placeOf(media, config).place
        if (media === undefined || place === 'anywhere') pieces.push(piece)
        else if (place === 'no')
          pieces.push({ type: 'text', text: await this.#describe({ key: piece, media, server }, config, tell) })
        else moved.push(...toMoved(part.toolName, media, server))
      }
      content.push({ ...part, output: toOutput(pieces) })
    }
    return { ...message, content }
  }

  /** `key` is the part of the message that the media was found in. */
  async #describe(
    { key, media, server }: FoundMedia,
    config: ModelConfig,
    tell: (notice: MediaNotice) => void,
  ): Promise<string> {
    const what = `${media.mediaType}, ${bytesOf(media.data)} bytes`
    const read = this.#texts.get(key) ?? this.#read(media, what, server)
    this.#texts.set(key, read)
    const found = await read
    if ('text' in found) return found.text
    const place = placeOf(media, config)
    const reason = place.place === 'no' && found.failure === '' ? place.reason : found.failure
    const told = this.#told.get(key) ?? new Set()
    this.#told.set(key, told)
    if (!told.has(config.id)) {
      const remedy = place.place === 'no' && place.remedy !== undefined ? { remedy: place.remedy } : {}
      const whose = server === undefined ? '' : ` from "${server}"`
      tell({ text: `The model was not given a piece of content${whose} (${what}): ${reason}.`, ...remedy })
      told.add(config.id)
    }
    return `[${withoutLabels(what)}: not given to you, since ${withoutLabels(reason)}. Say so where it matters.]`
  }

  async #read(media: Media, what: string, server: string | undefined): Promise<Found> {
    const found = await findText(media, this.#options.readDocument, server)
    if ('failure' in found) return found
    const text = `[text found in ${what}; pictures and layout are left out]\n${cut(found.text)}`
    if (server === undefined) return { text: withoutLabels(text) }
    return { text: labelled(server, this.#options.admit?.(server, text) ?? text) }
  }
}

const PAGE_HEADINGS = /^# Page \d+$/gm

async function findText(
  { data, mediaType }: Media,
  readDocument: DocumentReader | undefined,
  server: string | undefined,
): Promise<Found> {
  try {
    if (isTextType(mediaType)) return { text: new TextDecoder().decode(Buffer.from(data, 'base64')) }
    if (mediaType !== 'application/pdf' || readDocument === undefined) return { failure: '' }
    const text = await readDocument(Buffer.from(data, 'base64'), mediaType, server)
    const hasWords = /[\p{L}\p{N}]/u.test(text.replace(PAGE_HEADINGS, ''))
    return hasWords ? { text } : { failure: 'there is no text in it' }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}

function toMedia(part: object): Media | undefined {
  const { data, mediaType } = part as { readonly data?: unknown; readonly mediaType?: unknown }
  return typeof data === 'string' && typeof mediaType === 'string' ? { data, mediaType } : undefined
}

function toMoved(tool: string, { data, mediaType }: Media, server: string | undefined): (TextPart | FilePart)[] {
  const words = `Part of the result of ${JSON.stringify(tool)}, ${mediaType}:`
  const text = server === undefined ? withoutLabels(words) : labelled(server, words)
  return [
    { type: 'text', text },
    { type: 'file', data, mediaType },
  ]
}

/** Plain text where nothing else is left: some providers write anything else out as JSON. */
function toOutput(pieces: readonly ResultPiece[]): ToolResultPart['output'] {
  const texts = pieces.flatMap((piece) => (piece.type === 'text' ? [piece.text] : []))
  return texts.length === pieces.length
    ? { type: 'text', value: texts.join('\n') }
    : { type: 'content', value: [...pieces] }
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}\n[cut: ${text.length - MAX_TEXT} characters more]`
}
