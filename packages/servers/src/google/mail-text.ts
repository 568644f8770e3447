/** Mail as people read it, out of what Gmail gives, and plain mail to be sent. */

import { ToolError } from '@portico/sdk/server'
import { htmlToText } from '../documents/html-text.ts'
import { toLine, toList, toObject, toText } from '../vendor/values.ts'

type Json = ReturnType<typeof toObject>

const MAX_DEPTH = 10
const MAX_HTML_TEXT = 200_000

export function headerOf(message: Json, name: string): string {
  const headers = toList(toObject(message.payload).headers)
  return toLine(fromWords(toText(headers.find((header) => toText(header.name).toLowerCase() === name)?.value)), 500)
}

const MAX_HEADER = 5_000

/** Encoded words (RFC 2047), where a service leaves them as they were sent; what cannot be decoded stays. */
function fromWords(text: string): string {
  return text
    .slice(0, MAX_HEADER)
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
export function messageText(message: Json): string {
  const parts = flatten(toObject(message.payload), 0)
  const plain = parts.filter(({ mimeType, filename }) => mimeType === 'text/plain' && !filename)
  const html = parts.filter(({ mimeType, filename }) => mimeType === 'text/html' && !filename)
  const words =
    plain.length > 0
      ? plain.map(contentOf).join('\n')
      : html.map((part) => htmlToText(contentOf(part), MAX_HTML_TEXT).text).join('\n')
  const attached = parts.filter(({ filename }) => toText(filename) !== '')
  const files = attached.map(
    ({ filename, mimeType, body }) =>
      `[attached: ${toLine(filename)}, ${toLine(mimeType, 100)}, ${toText(toObject(body).size)} bytes]`,
  )
  return [words.trim(), ...files].join('\n')
}

function flatten(part: Json, depth: number): Json[] {
  if (depth > MAX_DEPTH) return []
  return [part, ...toList(part.parts).flatMap((inner) => flatten(inner, depth + 1))]
}

function contentOf(part: Json): string {
  return Buffer.from(toText(toObject(part.body).data), 'base64url').toString('utf8')
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
