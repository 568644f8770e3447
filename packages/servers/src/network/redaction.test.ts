import { describe, expect, it } from 'vitest'
import { createRedactor } from './redaction.ts'

describe('credentials do not come back', () => {
  const secret = 'k3y/with+signs&"quotes"'
  const redactor = createRedactor([secret])
  it.each([
    ['plain', secret],
    ['in a URL', encodeURIComponent(secret)],
    ['in a form', new URLSearchParams({ s: secret }).toString()],
    ['in JSON', JSON.stringify({ secret })],
    ['in Base64', Buffer.from(`user:${secret}`).toString('base64')],
    ['in Base64, shifted', Buffer.from(`us:${secret}!`).toString('base64')],
    ['in Base64, shifted again', Buffer.from(`use:${secret}!!`).toString('base64url')],
    ['around hidden characters', `${secret.slice(0, 4)}\u200b${secret.slice(4)}`],
  ])('%s', (_name, text) => {
    expect(redactor.text(`before ${text} after`)).toContain('[redacted]')
    expect(redactor.text(text)).not.toContain(secret.slice(0, 6))
  })

  it('in values and names of JSON', () => {
    expect(redactor.json({ [secret]: [secret] })).toEqual({ '[redacted]': ['[redacted]'] })
  })

  it('what is too short to be a secret does not blot out words', () => {
    expect(createRedactor(['a']).text('a banana')).toBe('a banana')
  })
})
