/** Addresses of documents and of lines in them: `knowledge://doc/notes/a.md#L3-L9`. */

export interface Place {
  readonly path: string
  /** Counted from 1, both included; the whole document when absent. */
  readonly lines?: readonly [from: number, to: number]
}

export function documentUri(path: string): string {
  return `knowledge://doc/${path.split('/').map(encodeSegment).join('/')}`
}

export function citationUri(path: string, from: number, to: number): string {
  return `${documentUri(path)}#L${from}-L${to}`
}

/** `path` is decoded already; a file that is really called like a citation comes before the citation. */
export function readPlace(path: string, isDocument: (path: string) => boolean): Place | undefined {
  if (isDocument(path)) return { path }
  const found = /^(.+)#L(\d{1,9})(?:-L?(\d{1,9}))?$/s.exec(path)
  const [, base = '', from, to = from] = found ?? []
  if (!isDocument(base)) return undefined
  return { path: base, lines: [Number(from), Number(to)] }
}

/** RFC 3986 leaves fewer characters alone than JavaScript does. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
}
