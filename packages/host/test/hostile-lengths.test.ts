import { expect, it } from 'vitest'
import { growsInStep, type Hostile, repeated } from '../../../tests/support/growth.ts'
import { redactText } from '../src/audit/redaction.ts'
import { normaliseAddress } from '../src/config/command/address.ts'
import { isSecretValue } from '../src/config/command/variables.ts'
import { parseEnvFile } from '../src/config/formats/env-file.ts'
import { appendItem } from '../src/config/formats/json-edit.ts'
import { readServerLine } from '../src/config/formats/server-line.ts'
import { redactSecrets } from '../src/model/safety.ts'
import { isManyPaths, unpacked } from '../src/policy/wide-readings.ts'

const WORKS: readonly (readonly [string, (text: string) => unknown, Hostile])[] = [
  ['tokens in a warning', redactText, repeated('eyJ-')],
  ['tokens of many parts in a warning', redactText, repeated('eyJ012345678.')],
  ['addresses in a warning', redactText, repeated('a://:')],
  ['tokens in a sampling request', (text) => redactSecrets(text, 'input', 'x'), repeated('eyJ-')],
  ['keys in a sampling request', (text) => redactSecrets(text, 'input', 'x'), repeated('-----BEGIN PRIVATE KEY-----a')],
  ['a secret in an entry', isSecretValue, repeated('eyJ-')],
  ['a host of dots', normaliseAddress, repeated('.', 'http://a', 'a/')],
  ['comments of an environment file', parseEnvFile, repeated(' #a', 'A=b', '\u2028')],
  ['spaces in a configuration', (text) => appendItem(text, ['a'], 1), repeated(' ', '{"a":[\n1', ']}')],
  ['a name of a server', readServerLine, repeated('-', 'npx a', 'a')],
  ['quotes in an argument', unpacked, repeated('`', '', 'a')],
  ['spaces in an argument', isManyPaths, repeated(' ', 'a')],
]

it.each(WORKS)('sec-719: the work on a long text grows with its length: %s', (_name, work, hostile) => {
  expect(growsInStep(work, hostile)).toBe(true)
})

const TOKEN = `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`

it.each([
  [`x-${TOKEN} and ${TOKEN}.`, 'x-[redacted] and [redacted].'],
  [`eyJ${'a'.repeat(8)}.bb`, '[redacted]'],
  [`eyJ.${TOKEN}`, 'eyJ.[redacted]'],
  ['eyJaaaaaaaa', 'eyJaaaaaaaa'],
])('sec-719: a token is found wherever it stands: %s', (text, shown) => {
  expect(redactText(text)).toBe(shown)
})

it('sec-719: a key and a token are kept from a model, what only looks like one is not', () => {
  const key = '-----BEGIN RSA PRIVATE KEY-----\nDEK-Info: AES-128-CBC,00\n\nQUJD\n-----END RSA PRIVATE KEY-----'
  expect(redactSecrets(`a ${key} b ${TOKEN} c eyJaaaaaaaaaa.b`, 'input', 'x')).toBe(
    'a [secret removed] b [secret removed] c eyJaaaaaaaaaa.b',
  )
})
