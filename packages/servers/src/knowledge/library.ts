/**
 * The documents of the folder, their pieces and the index over them, all in memory. Files are read again only when they have
 * changed; one that cannot be read is reported and keeps nobody else from being found.
 */

import { basename } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import MiniSearch from 'minisearch'
import type { Extractor } from '../documents/extract.ts'
import { type Chunk, toChunks, toLines } from './chunks.ts'
import type { Folder } from './folder.ts'
import type { KnowledgeLimits } from './limits.ts'
import { type Embed, Meanings, type Passage } from './meanings.ts'

interface Document {
  readonly path: string
  readonly title: string
  readonly lines: readonly string[]
  readonly chunks: readonly Chunk[]
  readonly stamp: string
  readonly bytes: number
}

export interface Hit {
  readonly document: Document
  readonly chunk: Chunk
  readonly score: number
  /** The words of the document that matched. */
  readonly words: readonly string[]
}

interface LibraryParts {
  readonly folder: Folder
  readonly extractor: Extractor
  readonly limits: KnowledgeLimits
  /** Search by meaning as well. */
  readonly embed?: Embed | undefined
  /** `listed` when a document came or went. */
  readonly onChange: (path: string, listed: boolean) => void
}

type ProgressListener = (done: number, total: number, path: string) => void

export class Library {
  readonly #parts: LibraryParts
  readonly #documents = new Map<string, Document>()
  readonly #failures = new Map<string, string>()
  readonly #listeners = new Set<ProgressListener>()
  readonly #search = new MiniSearch<{ id: string; title: string; headings: string; text: string }>({
    fields: ['title', 'headings', 'text'],
    searchOptions: { boost: { title: 3, headings: 2 }, prefix: (term) => term.length > 2, fuzzy: fuzziness },
  })
  readonly #meanings: Meanings | undefined
  #bytes = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(parts: LibraryParts) {
    this.#parts = parts
    this.#meanings = parts.embed && new Meanings(parts.embed)
  }

  get documents(): ReadonlyMap<string, Document> {
    return this.#documents
  }

  /** Why files are not in it, by path. */
  get failures(): ReadonlyMap<string, string> {
    return this.#failures
  }

  /** Hears how far an indexing is; the returned function ends that. */
  onProgress(listener: ProgressListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves when all that was asked for so far is done. */
  async settled(): Promise<void> {
    await this.#turn
  }

  /** Looks through the whole folder; unchanged files are left as they are. */
  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      const found = new Set<string>()
      const paths: string[] = []
      for await (const { path, refused } of this.#parts.folder.walk()) {
        found.add(path)
        if (refused !== undefined) this.#fail(path, refused)
        else if (paths.length < this.#parts.limits.maxFiles) paths.push(path)
        else this.#fail(path, `there are more than ${this.#parts.limits.maxFiles} files (option "maxFiles")`)
      }
      for (const path of [...this.#documents.keys(), ...this.#failures.keys()]) if (!found.has(path)) this.#drop(path)
      for (const [index, path] of paths.entries()) {
        await this.#take(path)
        for (const listener of this.#listeners) listener(index + 1, paths.length, path)
      }
    })
  }

  /** One file came, changed or went. */
  update(path: string): Promise<void> {
    return this.#inTurn(() => this.#take(path))
  }

  /** Passages that have all the words come first, then those that have some of them. */
  find(query: string, limit: number, under: string): Hit[] {
    const hits = new Map<string, Hit>()
    for (const combineWith of ['AND', 'OR'] as const) {
      for (const { id, score, terms } of this.#search.search(query, { combineWith })) {
        if (hits.size >= limit) return [...hits.values()]
        const place = this.#locate(String(id))
        if (place === undefined || hits.has(String(id)) || !place.document.path.startsWith(under)) continue
        hits.set(String(id), { ...place, score, words: terms })
      }
    }
    return [...hits.values()]
  }

  /** By words, and by meaning where that was asked for: what either finds early comes early. */
  async search(query: string, limit: number, under: string, signal: AbortSignal): Promise<Found> {
    if (this.#meanings === undefined) return { hits: this.find(query, limit, under) }
    const depth = Math.max(limit, DEPTH)
    const byWords = this.find(query, depth, under)
    try {
      const near = await this.#meanings.near(query, this.#passages(under), depth, signal)
      const byMeaning = near.flatMap(({ id, closeness }) => {
        const place = this.#locate(id.slice(0, id.lastIndexOf('@')))
        return place === undefined ? [] : [{ ...place, score: closeness, words: [] }]
      })
      return { hits: merge(byWords, byMeaning).slice(0, limit) }
    } catch (error) {
      if (signal.aborted) throw error
      const why = error instanceof Error ? error.message : String(error)
      return { hits: byWords.slice(0, limit), note: `Searched by words alone, not by meaning: ${why}` }
    }
  }

  #passages(under: string): Passage[] {
    return [...this.#documents.values()]
      .filter(({ path }) => path.startsWith(under))
      .flatMap((document) =>
        document.chunks.map((chunk, index) => ({ id: vectorId(document, index), text: chunk.text })),
      )
  }

  #locate(id: string): Pick<Hit, 'document' | 'chunk'> | undefined {
    const at = id.lastIndexOf('#')
    const document = this.#documents.get(id.slice(0, at))
    const chunk = document?.chunks[Number(id.slice(at + 1))]
    return document === undefined || chunk === undefined ? undefined : { document, chunk }
  }

  async #take(path: string): Promise<void> {
    const { folder, extractor, limits } = this.#parts
    const known = this.#documents.get(path)
    const stamp = await folder.stampOf(path)
    if (stamp === undefined) return this.#drop(path)
    if (known?.stamp === stamp) return
    if (known === undefined && this.#documents.size >= limits.maxFiles) {
      return this.#fail(path, `there are more than ${limits.maxFiles} files (option "maxFiles")`)
    }
    try {
      const file = await folder.read(path, limits.maxFileBytes)
      const { text, title } = await extractor.extract(path, file.bytes)
      if (this.#bytes - (known?.bytes ?? 0) + text.length > limits.maxTotalBytes) {
        throw new Error(`the texts have more than ${limits.maxTotalBytes} characters (option "maxTotalBytes")`)
      }
      await this.#put(path, text, title, file.stamp)
    } catch (error) {
      this.#fail(path, error instanceof Error ? reasonOf(error) : String(error))
    }
  }

  async #put(path: string, text: string, title: string | undefined, stamp: string): Promise<void> {
    const lines = toLines(text)
    const chunks = toChunks(lines)
    await requireFewWords(chunks, this.#parts.limits.maxWords)
    const wasKnown = this.#remove(path)
    const document: Document = {
      path,
      title: title ?? chunks.find(({ headings }) => headings.length > 0)?.headings[0] ?? basename(path),
      lines,
      chunks,
      stamp,
      bytes: text.length,
    }
    this.#documents.set(path, document)
    this.#failures.delete(path)
    this.#bytes += document.bytes
    const breathe = createPauses()
    for (const [index, { headings, text: piece }] of chunks.entries()) {
      await breathe()
      this.#search.add({ id: `${path}#${index}`, title: document.title, headings: headings.join(' '), text: piece })
    }
    this.#parts.onChange(path, !wasKnown)
  }

  #fail(path: string, reason: string): void {
    this.#failures.set(path, reason)
    if (this.#remove(path)) this.#parts.onChange(path, true)
  }

  #drop(path: string): void {
    this.#failures.delete(path)
    if (this.#remove(path)) this.#parts.onChange(path, true)
  }

  #remove(path: string): boolean {
    const document = this.#documents.get(path)
    if (document === undefined) return false
    this.#documents.delete(path)
    this.#bytes -= document.bytes
    for (const index of document.chunks.keys()) {
      this.#search.discard(`${path}#${index}`)
      this.#meanings?.forget(vectorId(document, index))
    }
    return true
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(action)
    this.#turn = result.catch(() => {})
    return result
  }
}

/** Words that stand in the index each cost memory and time, however short the text is: one of nothing but different words is refused. */
async function requireFewWords(chunks: readonly Chunk[], maxWords: number): Promise<void> {
  const words = new Set<string>()
  const breathe = createPauses()
  for (const { text } of chunks) {
    await breathe()
    for (const word of text.toLowerCase().split(SEPARATORS)) words.add(word)
    if (words.size > maxWords) throw new Error(`it has more than ${maxWords} different words (option "maxWords")`)
  }
}

/** Lets others have their turn whenever the work has gone on for a while. */
function createPauses(): () => Promise<void> | undefined {
  let began = performance.now()
  return () => {
    if (performance.now() - began < TURN_MS) return undefined
    return setImmediate().then(() => {
      began = performance.now()
    })
  }
}

/** A letter wrong is forgiven, in a longer word two: that is what two exchanged letters count as. */
function fuzziness(term: string): number | false {
  return term.length > 5 ? 2 : term.length > 3 ? 1 : false
}

interface Found {
  readonly hits: readonly Hit[]
  /** Why meaning was left out of it. */
  readonly note?: string
}

const SEPARATORS = /[\s\p{P}]+/u
const TURN_MS = 20

/** How far down each of two lists is looked at before they are merged. */
const DEPTH = 50
/** The usual constant of this way to merge lists: it keeps the first of one list from outweighing agreement. */
const RANK_SHIFT = 60

/** By places, since the scores of words and of meanings cannot be compared. */
function merge(...lists: readonly (readonly Hit[])[]): Hit[] {
  const merged = new Map<Chunk, Hit & { readonly places: number }>()
  for (const list of lists) {
    for (const [place, hit] of list.entries()) {
      const known = merged.get(hit.chunk)
      const places = (known?.places ?? 0) + 1 / (RANK_SHIFT + place + 1)
      merged.set(hit.chunk, { ...(known ?? hit), places })
    }
  }
  return [...merged.values()].sort((a, b) => b.places - a.places)
}

/** Another text has another: a vector never stands for what is no longer there. */
function vectorId({ path, stamp }: Document, index: number): string {
  return `${path}#${index}@${stamp}`
}

/** The system's messages have the whole path in them, which is nobody's business. */
function reasonOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' && 'syscall' in error
    ? `it cannot be opened (${error.code})`
    : error.message
}
