/** Mail as people read it, out of what Gmail gives, and plain mail to be sent. */

import { PorticoError, ToolError } from '@portico/sdk/server'
import type { Extractor } from '../documents/extract.ts'
import { cutText } from '../text/cut.ts'
import { toLine, toList, toObject, toText } from '../vendor/values.ts'
import type { VendorHost } from '../vendor/vendor-host.ts'

type Json = ReturnType<typeof toObject>

export interface GoogleHost extends VendorHost {
  /** Where mail that is HTML becomes text: somebody else wrote it, and it may take as long as it likes. */
  readonly documents: Extractor
}

const MAX_DEPTH = 10

/** A header on one line; cleaned before it is cut, since decoding brings back what was cleaned. */
export function headerOf({ service }: VendorHost, message: Json, name: string): string {
  const headers = toList(toObject(message.payload).headers)
  const value = toText(headers.find((header) => toText(header.name).toLowerCase() === name)?.value)
  return toLine(service.clean(fromWords(value)), 500)
}

const MAX_HEADER = 5_000

/** Encoded words (RFC 2047), where a service leaves them as they were sent; what cannot be decoded stays. */
function fromWords(text: string): string {
  return cutText(text, MAX_HEADER)
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([BQ])\?([^?\s]*)\?=/gi, (_word, kind: string, content: string) =>
      kind.toUpperCase() === 'B' ? Buffer.from(content, 'base64').toString('utf8') : fromQuoted(content),
    )
}

function fromQuoted(content: string): string {
  const bytes = content
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** The text of a message and what is attached. */
export async function messageText(
  { documents }: GoogleHost,
  message: Json,
  caller: string | undefined,
): Promise<string> {
  const parts = flatten(toObject(message.payload), 0)
  const plain = parts.filter(({ mimeType, filename }) => mimeType === 'text/plain' && !filename)
  const html = parts.filter(({ mimeType, filename }) => mimeType === 'text/html' && !filename)
  const words =
    plain.length > 0
      ? plain.map((part) => contentOf(part).toString('utf8'))
      : await Promise.all(html.map((part) => fromHtml(documents, contentOf(part), caller)))
  const attached = parts.filter(({ filename }) => toText(filename) !== '')
  const files = attached.map(
    ({ filename, mimeType, body }) =>
      `[attached: ${toLine(filename)}, ${toLine(mimeType, 100)}, ${toText(toObject(body).size)} bytes]`,
  )
  return [words.join('\n').trim(), ...files].join('\n')
}

function flatten(part: Json, depth: number): Json[] {
  if (depth > MAX_DEPTH) return []
  return [part, ...toList(part.parts).flatMap((inner) => flatten(inner, depth + 1))]
}

async function fromHtml(documents: Extractor, html: Buffer, caller: string | undefined): Promise<string> {
  try {
    return (await documents.extract('mail.html', html, caller)).text
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error
    return `[A part of this mail cannot be read: ${error.message}.]`
  }
}

function contentOf(part: Json): Buffer {
  return Buffer.from(toText(toObject(part.body).data), 'base64url')
}

export interface Mail {
  readonly to: readonly string[]
  readonly cc?: readonly string[]
  readonly subject: string
  readonly text: string
}

const ADDRESS = /^[^\s<>,;:"()[\]\\@]{1,64}@[A-Za-z0-9.-]{1,253}$/

/** A plain mail as RFC 5322 has it; nothing in it can become a header of its own. */
export function toRawMail({ to, cc = [], subject, text }: Mail): string {
  const odd = [...to, ...cc].find((address) => !ADDRESS.test(address))
  if (odd !== undefined) throw new ToolError(`"${toLine(odd, 100)}" is not an address of the form name@domain.`)
  const lines = [
    `To: ${to.join(', ')}`,
    ...(cc.length > 0 ? [`Cc: ${cc.join(', ')}`] : []),
    `Subject: ${encodedWord(subject)}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(text, 'utf8').toString('base64').replace(/.{76}/g, '$&\r\n'),
  ]
  return Buffer.from(lines.join('\r\n'), 'utf8').toString('base64url')
}

/** Always encoded: a line end in a subject stays part of the subject. */
function encodedWord(text: string): string {
  const words: string[] = []
  let word = ''
  for (const character of text) {
    if (Buffer.byteLength(word + character) > MAX_WORD) {
      words.push(word)
      word = ''
    }
    word += character
  }
  return [...words, word].map((part) => `=?utf-8?B?${Buffer.from(part, 'utf8').toString('base64')}?=`).join('\r\n ')
}

/** Bytes of which the encoded form fits into one word (RFC 2047). */
const MAX_WORD = 45
