/** The process in which HTML, PDF and Word documents become text. Whatever a document does here, `extract.ts` ends it from outside. */

import type { ExtractReply, ExtractRequest } from './extract-protocol.ts'

process.on('message', (request: ExtractRequest) => void answer(request).then(reply))
// Whoever asked is gone.
process.on('disconnect', () => process.exit())
reply({ kind: 'ready' })

function reply(message: ExtractReply): void {
  process.send?.(message)
}

async function answer({ kind, bytes, maxLength }: ExtractRequest): Promise<ExtractReply> {
  try {
    // Each library is loaded for the first document that needs it.
    if (kind === 'html') {
      const { htmlToText } = await import('./html-text.ts')
      reply({ kind: 'began' })
      return { kind: 'done', result: htmlToText(new TextDecoder().decode(bytes), maxLength) }
    }
    if (kind === 'docx') {
      const { docxToText } = await import('./docx-text.ts')
      reply({ kind: 'began' })
      return { kind: 'done', result: docxToText(bytes, maxLength) }
    }
    const { pdfToText } = await import('./pdf-text.ts')
    reply({ kind: 'began' })
    return { kind: 'done', result: await pdfToText(bytes, maxLength) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { kind: 'failed', reason: `it cannot be read as ${kind.toUpperCase()}: ${message.slice(0, 200)}` }
  }
}
