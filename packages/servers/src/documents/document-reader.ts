/** The text of a document for whoever has its bytes and no folder: by media type. */

import { PorticoError } from '@portico/sdk/server'
import { Extractor } from './extract.ts'

const NAMES: { readonly [mediaType: string]: string } = {
  'application/pdf': 'document.pdf',
  'text/html': 'page.html',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'document.docx',
}

/**
 * Options of `createDocumentReader`: how long a document may take, and how much of its text is given. Times are in
 * milliseconds.
 */
export interface DocumentReaderOptions {
  /** For one document, once it has its turn; 5 seconds unless given. */
  readonly timeoutMs?: number
  /** Characters of text; what is more is left out. 100,000 unless given. */
  readonly maxLength?: number
}

/**
 * Reads PDF, HTML and Word documents in a process of its own, with a deadline and a bound on memory, since a document can be made to take
 * for ever. The process is started for the first document, and anew after one that had to be ended. Documents are read one
 * at a time, and the sources that they come from (the third argument, such as the name of a server) take turns. Rejects
 * with why there is no text.
 *
 * @example
 * ```ts
 * import { createDocumentReader } from '@portico/servers/documents'
 * import { readFile } from 'node:fs/promises'
 * import { createHost } from '@portico/host'
 *
 * const readDocument = createDocumentReader()
 * const text = await readDocument(await readFile('paper.pdf'), 'application/pdf')
 * const host = await createHost({ readDocument })
 * ```
 */
export function createDocumentReader({
  timeoutMs = 5_000,
  maxLength = 100_000,
}: DocumentReaderOptions = {}): (bytes: Uint8Array, mediaType: string, source?: string) => Promise<string> {
  let extractor: Extractor | undefined
  return async (bytes, mediaType, source) => {
    const name = Object.hasOwn(NAMES, mediaType) ? NAMES[mediaType] : undefined
    if (name === undefined) throw new PorticoError('invalid-arguments', `no text can be read from ${mediaType}`)
    extractor ??= new Extractor({ timeoutMs, maxLength })
    // The library that reads PDF refuses a Buffer.
    const { text } = await extractor.extract(name, new Uint8Array(bytes), source)
    return text
  }
}
