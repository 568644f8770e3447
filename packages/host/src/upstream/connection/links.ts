/** Which servers linked to an address in their answers, for each of those whom they answered. Bounded; the oldest go. */

import type { ContentBlock } from '@portico/sdk/client'

/** A result as far as it can link to something. */
export interface Linking {
  readonly content: readonly ContentBlock[]
}

const MAX_LINKS = 1_000
const MAX_READERS = 1_000

export class Links {
  readonly #readers = new Map<string, Map<string, Set<string>>>()

  /** Servers that linked to an address in what this reader has got. */
  of(reader: string, uri: string): readonly string[] {
    return [...(this.#readers.get(reader)?.get(uri) ?? [])]
  }

  /** Remembers what a result links to. */
  note(reader: string, server: string, { content }: Linking): void {
    for (const block of content) {
      const uri =
        block.type === 'resource_link' ? block.uri : block.type === 'resource' ? block.resource?.uri : undefined
      if (typeof uri === 'string') this.#remember(reader, server, uri)
    }
  }

  #remember(reader: string, server: string, uri: string): void {
    const links = this.#readers.get(reader) ?? new Map<string, Set<string>>()
    this.#readers.delete(reader)
    this.#readers.set(reader, links)
    const servers = links.get(uri) ?? new Set<string>()
    links.delete(uri)
    links.set(uri, servers.add(server))
    dropOldest(links, MAX_LINKS)
    dropOldest(this.#readers, MAX_READERS)
  }
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
