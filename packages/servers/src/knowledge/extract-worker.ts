/** The thread in which HTML and PDF become text. Whatever a document does here, `extract.ts` ends it from outside. */

import { parentPort } from 'node:worker_threads'
import type { ExtractReply, ExtractRequest } from './extract-protocol.ts'

parentPort?.on('message', (request: ExtractRequest) => void answer(request).then(reply))

function reply(message: ExtractReply): void {
  parentPort?.postMessage(message)
}

async function answer({ kind, bytes, maxLength }: ExtractRequest): Promise<ExtractReply> {
  try {
    // Each library is loaded for the first document that needs it.
    if (kind === 'html') {
      const { htmlToText } = await import('./html-text.ts')
      reply({ kind: 'began' })
      return { kind: 'done', result: htmlToText(new TextDecoder().decode(bytes), maxLength) }
    }
    const { pdfToText } = await import('./pdf-text.ts')
    reply({ kind: 'began' })
    return { kind: 'done', result: await pdfToText(bytes, maxLength) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { kind: 'failed', reason: `it cannot be read as ${kind.toUpperCase()}: ${message.slice(0, 200)}` }
  }
}
