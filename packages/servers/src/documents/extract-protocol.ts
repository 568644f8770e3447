/** What the server and the process that takes documents apart say to each other. */

export interface ExtractRequest {
  readonly kind: 'html' | 'pdf' | 'docx'
  readonly bytes: Uint8Array
  /** Characters of text. */
  readonly maxLength: number
}

export interface ExtractedText {
  readonly text: string
  readonly title?: string
}

export type ExtractReply =
  | { readonly kind: 'ready' }
  /** The library is loaded, and the document's own time begins. */
  | { readonly kind: 'began' }
  | { readonly kind: 'done'; readonly result: ExtractedText }
  | { readonly kind: 'failed'; readonly reason: string }
