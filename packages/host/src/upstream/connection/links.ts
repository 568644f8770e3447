/** Which servers linked to an address in their answers, for each of those whom they answered. Bounded; the oldest go. */

import type { ContentBlock } from '@portico/sdk/client'

/** A result as far as it can link to something. */
export interface Linking {
  readonly content: readonly ContentBlock[]
}

const MAX_LINKS = 1_000
const MAX_READERS = 1_000
/** Characters of the addresses of one reader: those of all readers together stay within a bound. */
const MAX_CHARACTERS = 65_536

interface Reader {
  readonly links: Map<string, Set<string>>
  characters: number
}

export class Links {
  readonly #readers = new Map<string, Reader>()

  /** Servers that linked to an address in what this reader has got. */
  of(reader: string, uri: string): readonly string[] {
    return [...(this.#readers.get(reader)?.links.get(uri) ?? [])]
  }

  /** Remembers what a result links to. */
  note(reader: string, server: string, { content }: Linking): void {
    for (const block of content) {
      const uri =
        block.type === 'resource_link' ? block.uri : block.type === 'resource' ? block.resource?.uri : undefined
      if (typeof uri === 'string' && uri.length <= MAX_CHARACTERS) this.#remember(reader, server, uri)
    }
  }

  #remember(name: string, server: string, uri: string): void {
    const reader = this.#readers.get(name) ?? { links: new Map(), characters: 0 }
    this.#readers.delete(name)
    this.#readers.set(name, reader)
    const servers = reader.links.get(uri)
    if (servers === undefined) reader.characters += uri.length
    reader.links.delete(uri)
    reader.links.set(uri, (servers ?? new Set<string>()).add(server))
    for (const oldest of reader.links.keys()) {
      if (reader.links.size <= MAX_LINKS && reader.characters <= MAX_CHARACTERS) break
      reader.links.delete(oldest)
      reader.characters -= oldest.length
    }
    const [oldest] = this.#readers.keys()
    if (this.#readers.size > MAX_READERS && oldest !== undefined) this.#readers.delete(oldest)
  }
}
