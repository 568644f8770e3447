import { describe, expect, it } from 'vitest'
import { checkedFilter, redactSecrets } from './safety.ts'

describe('what goes to a model for a server, and back (founding: sampling)', () => {
  it.each([
    ['a key', `sk-${'a'.repeat(24)}`],
    ['a token', `ghp_${'b'.repeat(36)}`],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----'],
    ['a JSON web token', `eyJ${'a'.repeat(12)}.${'b'.repeat(12)}.${'c'.repeat(12)}`],
  ])('loses %s, in either direction, and keeps the words around it', (_name, secret) => {
    for (const way of ['input', 'output'] as const)
      expect(redactSecrets(`before ${secret} after`, way, 'server')).toBe('before [secret removed] after')
  })

  it('is stopped where a filter has no text for it', () => {
    const late = (async () => 'x') as unknown as typeof redactSecrets
    expect(() => checkedFilter(late)('words', 'input', 'server')).toThrow('must return a text')
  })
})
