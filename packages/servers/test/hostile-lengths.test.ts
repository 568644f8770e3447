import { zipSync } from 'fflate'
import { expect, it } from 'vitest'
import { growsInStep, type Hostile, repeated } from '../../../tests/support/growth.ts'
import { docxToText } from '../src/documents/docx-text.ts'
import { createDenyList } from '../src/files/deny.ts'
import { checkRevision } from '../src/git/refs.ts'

const denied = createDenyList(['*.pem'])
const toDocument = (xml: string) => zipSync({ 'word/document.xml': new TextEncoder().encode(xml) }, { level: 0 })

const WORKS: readonly (readonly [string, (text: string) => unknown, Hostile])[] = [
  ['a tag of a document', (xml) => docxToText(toDocument(xml), 1_000), repeated('a', '<')],
  ['a name of a file', (name) => denied.refuses(name), repeated('-', 'a', 'a')],
  ['a revision', checkRevision, repeated('~', 'a', 'a')],
]

it.each(WORKS)('sec-719: the work on a long text grows with its length: %s', (_name, work, hostile) => {
  expect(growsInStep(work, hostile)).toBe(true)
})
